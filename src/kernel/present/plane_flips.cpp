#include "kernel/present/plane_flips.h"

#include <utility>

namespace tandem::kernel {

DXGK_MULTIPLANE_OVERLAY_PLANE3& PlaneFlips::Append() {
  DXGK_MULTIPLANE_OVERLAY_PLANE3& plane = planes_[args_.PlaneCount];
  pointers_[args_.PlaneCount++] = &plane;
  return plane;
}

DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3& PlaneFlips::Program(std::uint32_t vidpn_source, const PlaneSet& set,
                                                                         HANDLE context, bool immediate) {
  args_ = {};
  args_.VidPnSourceId = vidpn_source;
  args_.ppPlanes = pointers_.data();
  args_.pPostComposition =
      set.has_post_composition ? const_cast<DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION*>(&set.post_composition) : nullptr;
  std::uint32_t shown = 0;
  for (std::uint32_t i = 0; i < set.count; ++i) shown |= 1u << set.planes[i].LayerIndex;
  const std::uint32_t off = (on_ | set.off) & ~shown;
  std::uint32_t next = 0;  // among the planes that are shown
  for (UINT layer = 0; layer < kMaxFlipPlanes; ++layer) {
    if (((shown | off) >> layer & 1) == 0) continue;
    DXGK_MULTIPLANE_OVERLAY_PLANE3& plane = Append();
    if ((off >> layer & 1) != 0) {
      plane = {};
      plane.LayerIndex = layer;
    } else {
      plane = set.planes[next];
      contexts_[layer] = set.contexts[next++];
      contexts_[layer].hContext = context;
      context_pointers_[layer] = &contexts_[layer];
      plane.ppContextData = &context_pointers_[layer];
      due_[layer] = {static_cast<std::uint64_t>(contexts_[layer].SegmentAddress.QuadPart), last_present_id_ + 1};
    }
    plane.PresentId = ++last_present_id_;
    plane.InputFlags.FlipImmediate = immediate ? 1u : 0u;
    plane.InputFlags.FlipOnNextVSync = immediate ? 0u : 1u;
  }
  on_ = shown;
  for (Target& target : targets_) target.reported = 0;
  return args_;
}

bool PlaneFlips::Report(std::uint32_t place, DXGK_INTERRUPT_TYPE type, std::span<const PlaneReport> planes, bool counts) {
  Target& target = targets_[place];
  for (const PlaneReport& plane : planes) {
    const Due& due = due_[plane.layer];
    bool shown = false;
    switch (type) {
      case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY: shown = plane.enabled && plane.value == due.address; break;
      case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2: shown = plane.value == due.present_id; break;
      // No log lies behind the index, for one flip is under way at a time: it moves when that flip is done.
      default: shown = std::exchange(target.log_end[plane.layer], plane.value) != plane.value; break;
    }
    if (shown && counts) target.reported |= 1u << plane.layer;
  }
  return on_ != 0 && (target.reported & on_) == on_;
}

}  // namespace tandem::kernel
