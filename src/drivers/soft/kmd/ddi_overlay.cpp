// Overlay checks: what the virtual display controller can scan out, and whether it still has the bandwidth.
#include <algorithm>

#include "color/blit.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"
#include "drivers/soft/kmd/display_controller.h"

namespace tandem::soft {
namespace {

using Plane = DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2;
using PostComposition = DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION;

// The planes of one source that can be shown so far, lowest first.
struct Stack {
  std::array<ScanOutPlane, kMaxScanOutPlanes> planes;
  std::array<std::uint32_t, kMaxScanOutPlanes> layers{};
  std::uint32_t count = 0;
  std::uint64_t bytes = 0;  // read from system memory for each refresh of each target
};

bool SameRect(const RECT& a, const RECT& b) {
  return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

// The picture leaves as it was put together.
bool IsNothing(const PostComposition& post) {
  return post.Flags.VerticalFlip == 0 && post.Flags.HorizontalFlip == 0 &&
         (post.Rotation == D3DDDI_ROTATION_IDENTITY || post.Rotation == 0) && SameRect(post.SrcRect, post.DstRect);
}

// What the controller turns for a target it holds in its own memory.
bool IsTurned(Device& device, std::uint32_t source) {
  bool turned = false;
  device.ForEachTarget(source,
                       [&](ScanOut& target, bool) { turned = turned || target.rotation() != color::Rotation::kIdentity; });
  return turned;
}

class Question {
 public:
  Question(Device& device, const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check) : device_(device), check_(check) {}

  // The first plane that cannot be shown with those before it in its source's order; nothing when all can.
  [[nodiscard]] std::optional<UINT> FirstRefused() {
    // The lowest plane first, whatever the order of the list: layer 0 is on top.
    for (UINT layer = device_.description().overlay_planes; layer-- > 0;) {
      for (UINT i = 0; i < check_.PlaneCount; ++i) {
        if (check_.ppPlanes[i]->LayerIndex == layer && !Add(*check_.ppPlanes[i])) return i;
      }
    }
    for (UINT i = 0; i < check_.PlaneCount; ++i) {
      if (check_.ppPlanes[i]->LayerIndex >= device_.description().overlay_planes) return i;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool Add(const Plane& plane) {
    const auto* allocation = static_cast<const Allocation*>(plane.hAllocation);
    const std::uint32_t source = plane.VidPnSourceId;
    if (allocation == nullptr || source >= device_.source_count()) return false;
    if (device_.PathRotation(source) != color::Rotation::kIdentity) return false;
    auto scanned_out = ToPlane(device_, allocation->data, plane.PlaneAttributes);
    if (!scanned_out) return false;
    const bool shared = (allocation->data.flags & kAllocationCrossAdapter) != 0;
    if (shared && IsTurned(device_, source)) return false;
    scanned_out->surface.address = shared ? kApertureBase : kLocalBase;  // for what it costs
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
    const std::uint64_t limit = device_.description().scan_out_bytes_per_second;
    if (limit == 0) return true;
    std::uint64_t demand = 0;
    bool from_shared = false;
    for (std::uint32_t source = 0; source < device_.source_count(); ++source) {
      const Stack& stack = stacks_[source];
      from_shared = from_shared || stack.bytes != 0;
      device_.ForEachTarget(source, [&](ScanOut& target, bool) {
        demand += stack.count == 0 ? target.BytesPerSecond()
                                   : stack.bytes * 1'000'000'000 / static_cast<std::uint64_t>(target.RefreshPeriodNs());
      });
    }
    return !from_shared || demand <= limit;
  }

  Device& device_;
  const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check_;
  std::array<Stack, kMaxVidPnSources> stacks_;
};

}  // namespace

// The answer stands alone: it depends on what is shown now and changes nothing, with StaticCheck or without.
NTSTATUS SoftCheckMultiPlaneOverlaySupport3(HANDLE adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* check) {
  auto& device = *static_cast<Device*>(adapter);
  check->ReturnInfo.Value = 0;
  check->Supported = FALSE;
  if (check->PlaneCount == 0 ||
      std::any_of(check->ppPlanes, check->ppPlanes + check->PlaneCount, [](const Plane* plane) { return plane == nullptr; })) {
    return STATUS_SUCCESS;
  }
  for (UINT i = 0; i < check->PostCompositionCount; ++i) {
    if (!IsNothing(check->ppPostComposition[i]->PostComposition)) return STATUS_SUCCESS;
  }
  const auto refused = Question(device, *check).FirstRefused();
  check->Supported = refused ? FALSE : TRUE;
  check->ReturnInfo.FailingPlane = refused.value_or(0) & 15u;
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
