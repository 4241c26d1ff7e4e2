#include "drivers/soft/kmd/overlay_question.h"

#include <array>
#include <span>

#include "color/blit.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/soft/kmd/display_controller.h"
#include "drivers/soft/kmd/soft_display.h"

namespace tandem::soft {
namespace {

using Plane = DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2;

// The planes of one source that can be shown so far, lowest first.
struct Stack {
  std::array<processor::ScanOutPlane, processor::kMaxScanOutPlanes> planes;
  std::array<std::uint32_t, processor::kMaxScanOutPlanes> layers{};
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;  // read from system memory for each refresh of each target
};

// What the controller turns for a target it holds in its own memory.
bool IsTurned(processor::Device& device, SoftDisplay& display, std::uint32_t source) {
  bool turned = false;
  device.ForEachTarget(source, [&](std::uint32_t target, bool) {
    turned = turned || display.scan_out(target).rotation() != color::Rotation::kIdentity;
  });
  return turned;
}

class Question {
 public:
  Question(processor::Device& device, SoftDisplay& display, const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check)
      : device_(device), display_(display), check_(check) {}

  // The first plane that cannot be shown with those before it in its source's order; nothing when all can.
  [[nodiscard]] std::optional<UINT> FirstRefused() {
    // The lowest plane first, whatever the order of the list: layer 0 is on top.
    for (UINT layer = display_.overlay_planes(); layer-- > 0;) {
      for (UINT i = 0; i < check_.PlaneCount; ++i) {
        if (check_.ppPlanes[i]->LayerIndex == layer && !Add(*check_.ppPlanes[i])) return i;
      }
    }
    for (UINT i = 0; i < check_.PlaneCount; ++i) {
      if (check_.ppPlanes[i]->LayerIndex >= display_.overlay_planes()) return i;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool Add(const Plane& plane) {
    const auto* allocation = static_cast<const processor::Allocation*>(plane.hAllocation);
    const std::uint32_t source = plane.VidPnSourceId;
    if (allocation == nullptr || source >= device_.source_count()) return false;
    if (device_.PathRotation(source) != color::Rotation::kIdentity) return false;
    auto scanned_out = display_.ToPlane(allocation->data, plane.PlaneAttributes);
    if (!scanned_out) return false;
    const bool shared = (allocation->data.flags & processor::kAllocationCrossAdapter) != 0;
    if (shared && IsTurned(device_, display_, source)) return false;
    scanned_out->surface.address = shared ? processor::kApertureBase : processor::kLocalBase;  // for what it costs
    Stack& stack = stacks_[source];
    const bool twin = stack.count != 0 && stack.layers[stack.count - 1] == plane.LayerIndex;
    if (twin || stack.count == stack.planes.size() || !CanStack(*scanned_out, std::span(stack.planes).first(stack.count)))
      return false;
    stack.layers[stack.count] = plane.LayerIndex;
    stack.planes[stack.count++] = *scanned_out;
    stack.bytes += SystemBytes(*scanned_out);
    return HasBandwidth();
  }

  // For each target, beside what the sources that are not asked about read now. Nothing is reserved by asking.
  [[nodiscard]] bool HasBandwidth() {
    const std::uint64_t limit = display_.description().scan_out_bytes_per_second;
    if (limit == 0) return true;
    std::uint64_t demand = 0;
    bool from_shared = false;
    for (std::uint32_t source = 0; source < device_.source_count(); ++source) {
      const Stack& stack = stacks_[source];
      from_shared = from_shared || stack.bytes != 0;
      device_.ForEachTarget(source, [&](std::uint32_t number, bool) {
        ScanOut& target = display_.scan_out(number);
        demand += stack.count == 0 ? target.BytesPerSecond()
                                   : stack.bytes * 1'000'000'000 / static_cast<std::uint64_t>(target.RefreshPeriodNs());
      });
    }
    return !from_shared || demand <= limit;
  }

  processor::Device& device_;
  SoftDisplay& display_;
  const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check_;
  std::array<Stack, kMaxVidPnSources> stacks_;
};

}  // namespace

std::optional<UINT> FirstRefusedPlane(processor::Device& device, SoftDisplay& display,
                                      const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) {
  return Question(device, display, check).FirstRefused();
}

}  // namespace tandem::soft
