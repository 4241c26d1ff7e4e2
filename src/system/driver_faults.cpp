#include "system/driver_faults.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>

#include "base/check.h"

namespace tandem::system {
namespace {

constexpr DriverFault kDriverFaults[] = {
    {"zink-resize", DriverKind::kVulkan, "llvmpipe", "22.3.6", "22.3.6",
     "After a present reports another size of the window, zink recreates its swap chain within a frame and draws past the end of "
     "smaller images.",
     "Presents of zink do not report the size; zink asks for it with each frame anyway.", "",
     "https://gitlab.freedesktop.org/mesa/mesa/-/blob/mesa-22.3.6/src/gallium/drivers/zink/zink_kopper.c"},
    {"nvidia-half-refresh", DriverKind::kVulkan, "NVIDIA", "", "",
     "A monitor on another GPU may run at half its refresh rate, because notifications of frames arrive late in low power "
     "states.",
     "Compare 'tandem status' with the refresh rate of the monitor.", "",
     "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/650", false},
    {"nvidia-wakes", DriverKind::kVulkan, "NVIDIA", "", "", "Each program that lists Vulkan devices wakes the GPU.",
     "Use 'tandem enable --keep-asleep SEL' to keep the driver from programs that Tandem does not serve.", "",
     "https://github.com/NVIDIA/egl-wayland/issues/89", false},
    {"virtio-gpu-offset", DriverKind::kKernel, "virtio_gpu", "6.12", "6.12",
     "A framebuffer that begins inside a buffer is read from the buffer's begin.",
     "Each picture of a card is a buffer of its own.", "", "docs/decisions/0030-a-card-as-a-display-adapter.md"},
    {"virtio-gpu-pitch", DriverKind::kKernel, "virtio_gpu", "", "",
     "The host copies a buffer with the rows that it was made with, whatever the pitch of its framebuffer.",
     "Frames that cross to the card do not lie in its exported buffers.", "", "docs/decisions/0031-one-memory-four-ways.md"},
    {"vkms-offset", DriverKind::kKernel, "vkms", "6.12", "6.12", "The offset of a framebuffer inside a buffer is added twice.",
     "Each picture of a card is a buffer of its own.", "", "docs/decisions/0030-a-card-as-a-display-adapter.md"},
    {"vkms-udmabuf", DriverKind::kKernel, "vkms", "6.1", "6.1",
     "A commit of a udmabuf fails with EINVAL after its test succeeded.",
     "The first refused commit marks the card; its frames are composed from then on.", "",
     "docs/decisions/0029-the-layer-over-drm-cards.md"},
    {"cirrus-udmabuf", DriverKind::kKernel, "cirrus", "6.1", "6.1",
     "A commit of a udmabuf fails with EINVAL after its test succeeded.",
     "The first refused commit marks the card; its frames are composed from then on.", "",
     "docs/decisions/0029-the-layer-over-drm-cards.md"},
};

using VersionNumbers = std::array<std::uint32_t, 3>;

// The first number with a dot in `text`; its parts that are missing are 0.
std::optional<VersionNumbers> NumbersIn(std::string_view text) {
  constexpr std::uint32_t kMostOfAPart = 100'000;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (std::isdigit(static_cast<unsigned char>(text[begin])) == 0) continue;
    VersionNumbers numbers{};
    std::size_t part = 0, at = begin;
    for (; at < text.size() && part < numbers.size(); ++at) {
      const auto letter = static_cast<unsigned char>(text[at]);
      if (letter == '.') {
        ++part;
      } else if (std::isdigit(letter) != 0) {
        numbers[part] = std::min(numbers[part] * 10 + (letter - '0'), kMostOfAPart);
      } else {
        break;
      }
    }
    if (part > 0) return numbers;
    begin = at;
  }
  return std::nullopt;
}

// `bound` may have fewer parts than `version`: 6.12 holds for 6.12.9.
bool IsWithin(const VersionNumbers& version, std::string_view first, std::string_view last) {
  const auto from = NumbersIn(first), to = NumbersIn(last);
  if (from && version < *from) return false;
  if (!to) return true;
  const auto parts = static_cast<std::size_t>(std::ranges::count(last, '.')) + 1;
  return !std::ranges::lexicographical_compare(std::span(*to).first(parts), std::span(version).first(parts));
}

}  // namespace

std::span<const DriverFault> DriverFaults() { return kDriverFaults; }

const DriverFault& DriverFaultOf(std::string_view id) {
  const auto* const found = std::ranges::find(kDriverFaults, id, &DriverFault::id);
  TANDEM_CHECK(found != std::end(kDriverFaults));
  return *found;
}

std::vector<const DriverFault*> FaultsOf(DriverKind kind, std::string_view driver, std::string_view version) {
  std::vector<const DriverFault*> found;
  const auto numbers = NumbersIn(version);
  for (const DriverFault& fault : kDriverFaults) {
    if (fault.kind != kind || fault.driver != driver) continue;
    const bool bounded = !fault.first.empty() || !fault.last.empty();
    if (!bounded || (numbers && IsWithin(*numbers, fault.first, fault.last))) found.push_back(&fault);
  }
  return found;
}

}  // namespace tandem::system
