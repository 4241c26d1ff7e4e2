#include "outputs/wayland/dma_bufs.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/core.h>
#include <sys/sysmacros.h>

#include "base/dma_buf.h"
#include "base/memory_map.h"
#include "outputs/output.h"

namespace tandem::outputs {
namespace {

constexpr std::int64_t kAnswerNs = 10'000'000'000;
constexpr std::uint32_t kProbeExtent = 32;
constexpr std::uint32_t kProbePitch = 256;
constexpr std::size_t kMostFormats = 4096;  // a compositor has a few hundred
constexpr int kWordBits = 32;

struct Answer {
  bool arrived = false;
  wl_buffer* buffer = nullptr;
};

const zwp_linux_buffer_params_v1_listener kAnswer{
    [](void* data, zwp_linux_buffer_params_v1*, wl_buffer* buffer) {
      *static_cast<Answer*>(data) = {true, buffer};
    },
    [](void* data, zwp_linux_buffer_params_v1*) {
      *static_cast<Answer*>(data) = {true, nullptr};
    },
};

template <class T>
std::span<const T> Values(const wl_array* array) {
  return {static_cast<const T*>(array->data), array->size / sizeof(T)};
}

Result<UniqueFd> DmaBufOf(const DmaBufLayout& layout) {
  if (layout.is_dma_buf) return DuplicateFd(layout.fd);
  auto bytes = RoundUpToPages(std::size_t{layout.pitch} * layout.height);
  if (!bytes.ok()) return std::move(bytes).error();
  return CreateDmaBuf(layout.fd, layout.offset, *bytes);
}

}  // namespace

// The first event, without a modifier, is superseded by the second one.
const zwp_linux_dmabuf_v1_listener WaylandDmaBufs::kFormats{
    [](void*, zwp_linux_dmabuf_v1*, std::uint32_t) {},
    [](void* data, zwp_linux_dmabuf_v1*, std::uint32_t format, std::uint32_t modifier_high, std::uint32_t modifier_low) {
      auto& formats = static_cast<WaylandDmaBufs*>(data)->formats_;
      if (formats.size() < kMostFormats) formats.push_back({format, std::uint64_t{modifier_high} << kWordBits | modifier_low});
    },
};

const zwp_linux_dmabuf_feedback_v1_listener WaylandDmaBufs::kFeedback{
    [](void* data, zwp_linux_dmabuf_feedback_v1*) { static_cast<WaylandDmaBufs*>(data)->feedback_.Done(); },
    [](void* data, zwp_linux_dmabuf_feedback_v1*, std::int32_t fd, std::uint32_t size) {
      static_cast<WaylandDmaBufs*>(data)->feedback_.SetTable(UniqueFd(fd), size);
    },
    [](void* data, zwp_linux_dmabuf_feedback_v1*, wl_array* device) {
      static_cast<WaylandDmaBufs*>(data)->feedback_.SetMainDevice(Values<std::byte>(device));
    },
    [](void* data, zwp_linux_dmabuf_feedback_v1*) { static_cast<WaylandDmaBufs*>(data)->feedback_.EndTranche(); },
    [](void* data, zwp_linux_dmabuf_feedback_v1*, wl_array* device) {
      static_cast<WaylandDmaBufs*>(data)->feedback_.SetTrancheDevice(Values<std::byte>(device));
    },
    [](void* data, zwp_linux_dmabuf_feedback_v1*, wl_array* positions) {
      static_cast<WaylandDmaBufs*>(data)->feedback_.AddTrancheFormats(Values<std::uint16_t>(positions));
    },
    [](void* data, zwp_linux_dmabuf_feedback_v1*, std::uint32_t flags) {
      static_cast<WaylandDmaBufs*>(data)->feedback_.SetTrancheFlags(
          (flags & ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SCANOUT) != 0);
    },
};

WaylandDmaBufs::WaylandDmaBufs(WaylandEvents& events, zwp_linux_dmabuf_v1* proxy) : events_(events), proxy_(proxy) {
  zwp_linux_dmabuf_v1_add_listener(proxy_, &kFormats, this);
  if (zwp_linux_dmabuf_v1_get_version(proxy_) < ZWP_LINUX_DMABUF_V1_GET_DEFAULT_FEEDBACK_SINCE_VERSION) return;
  feedback_proxy_ = zwp_linux_dmabuf_v1_get_default_feedback(proxy_);
  if (feedback_proxy_ != nullptr) zwp_linux_dmabuf_feedback_v1_add_listener(feedback_proxy_, &kFeedback, this);
}

WaylandDmaBufs::~WaylandDmaBufs() {
  const MutexLock lock(events_.mutex());
  if (!events_.connected()) return;
  if (feedback_proxy_ != nullptr) zwp_linux_dmabuf_feedback_v1_destroy(feedback_proxy_);
  zwp_linux_dmabuf_v1_destroy(proxy_);
}

bool WaylandDmaBufs::Takes(const DmaBufFormat& format) const {
  const MutexLock lock(events_.mutex());
  return feedback_.Takes(format) || std::ranges::find(formats_, format) != formats_.end();
}

Result<DmaBuffer> WaylandDmaBufs::Create(const DmaBufLayout& layout) const {
  if (!Takes(layout.format)) {
    return Fail(ErrorKind::kUnsupported, "The Wayland compositor takes no dma-bufs of format 0x{:08x} with modifier 0x{:x}.",
                layout.format.fourcc, layout.format.modifier);
  }
  auto dma_buf = DmaBufOf(layout);
  if (!dma_buf.ok()) return Error{ErrorKind::kUnsupported, dma_buf.error().message};
  Answer answer;
  MutexLock lock(events_.mutex());
  if (auto usable = events_.Usable(); !usable.ok()) return std::move(usable).error();
  zwp_linux_buffer_params_v1* params = zwp_linux_dmabuf_v1_create_params(proxy_);
  if (params == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland request.");
  zwp_linux_buffer_params_v1_add_listener(params, &kAnswer, &answer);
  const auto offset = layout.is_dma_buf ? static_cast<std::uint32_t>(layout.offset) : 0;
  zwp_linux_buffer_params_v1_add(params, dma_buf->get(), 0, offset, layout.pitch,
                                 static_cast<std::uint32_t>(layout.format.modifier >> kWordBits),
                                 static_cast<std::uint32_t>(layout.format.modifier));
  // The form without an answer would end the program's connection where the compositor refuses.
  zwp_linux_buffer_params_v1_create(params, static_cast<std::int32_t>(layout.width), static_cast<std::int32_t>(layout.height),
                                    layout.format.fourcc, 0);
  lock.Unlock();
  auto sent = events_.Flush();
  lock.Lock();
  if (sent.ok()) events_.WaitFor(lock, kAnswerNs, [&answer] { return answer.arrived; });
  if (events_.connected()) zwp_linux_buffer_params_v1_destroy(params);
  if (!sent.ok()) return std::move(sent).error();
  if (answer.buffer != nullptr) return DmaBuffer{answer.buffer, *std::move(dma_buf)};
  if (!answer.arrived) return Fail(ErrorKind::kSurfaceLost, "The Wayland compositor has not answered for ten seconds.");
  return Fail(ErrorKind::kUnsupported, "The Wayland compositor refuses a dma-buf of {} x {} pixels.", layout.width,
              layout.height);
}

std::string WaylandDmaBufs::WhyNoSharedPages() const {
  auto pages = CreateSharedPages("tandem-wayland-probe", std::size_t{kProbePitch} * kProbeExtent);
  if (!pages.ok()) return pages.error().message;
  auto made = Create({pages->get(), false, 0, kProbeExtent, kProbeExtent, kProbePitch, {kDrmFormatXrgb8888, kLinearModifier}});
  if (!made.ok()) return made.error().message;
  const MutexLock lock(events_.mutex());
  if (events_.connected()) wl_buffer_destroy(made->buffer);
  return {};
}

std::string WaylandDmaBufs::Preference() const {
  const MutexLock lock(events_.mutex());
  std::string text;
  if (const auto device = feedback_.main_device()) text = fmt::format("device {}:{}", major(*device), minor(*device));
  for (const DmaBufTranche& tranche : feedback_.tranches()) {
    if (!tranche.scans_out) continue;
    text += fmt::format("{}scans out {} forms", text.empty() ? "" : ", ", tranche.formats.size());
    break;
  }
  if (!feedback_.fault().empty()) text += fmt::format("{}at fault: {}", text.empty() ? "" : ", ", feedback_.fault());
  return text;
}

}  // namespace tandem::outputs
