#include "kernel/adapter/interrupt_check.h"

#include <algorithm>

#include <fmt/core.h>

#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

struct EngineRules {
  const char* node;
  const char* engine;
};

// An engine is one of several adapters that are linked behind a node; nothing is linked here.
std::optional<BrokenInterruptRule> CheckEngine(const EngineRules& rules, UINT node, UINT engine, const InterruptLimits& limits) {
  if (node >= limits.nodes) return BrokenInterruptRule{rules.node, fmt::format("Node {} is not one of {}.", node, limits.nodes)};
  if (engine != 0) return BrokenInterruptRule{rules.engine, fmt::format("Engine {} of node {} is not 0.", engine, node)};
  return std::nullopt;
}

std::optional<BrokenInterruptRule> CheckTarget(const char* rule, ULONG target, const InterruptLimits* limits) {
  if (limits != nullptr && limits->targets.empty()) {
    return BrokenInterruptRule{rules::kVSyncWithoutOutputs,
                               fmt::format("A vertical blank of target {} is of an adapter without outputs.", target)};
  }
  if (limits == nullptr || std::find(limits->targets.begin(), limits->targets.end(), target) != limits->targets.end())
    return std::nullopt;
  return BrokenInterruptRule{rule,
                             fmt::format("Target {} is not one of the adapter's {} outputs.", target, limits->targets.size())};
}

std::optional<BrokenInterruptRule> CheckPageFaultFlags(UINT flags) {
  constexpr UINT kResets =
      DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR;
  constexpr UINT kDefined = kResets | DXGK_PAGE_FAULT_WRITE | DXGK_PAGE_FAULT_FENCE_INVALID | DXGK_PAGE_FAULT_IOMMU |
                            DXGK_PAGE_FAULT_HW_CONTEXT_VALID | DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID;
  if ((flags & ~kDefined) != 0 || ((flags & DXGK_PAGE_FAULT_FENCE_INVALID) != 0 && (flags & kResets) == 0)) {
    return BrokenInterruptRule{rules::kPageFaultFlags,
                               fmt::format("Flags 0x{:X} have undefined bits, or no fence and no reset.", flags)};
  }
  if ((flags & DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR) == 0) return std::nullopt;
  return BrokenInterruptRule{rules::kPageFaultFatal, fmt::format("Flags 0x{:X} say that the hardware is lost.", flags)};
}

// The three forms of a driver's list: `visit` is called with its pointer.
template <class Visit>
auto WithPlanes(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data, Visit visit) {
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2:
      return visit(data.CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo);
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3:
      return visit(data.CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo);
    default: return visit(data.CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo);
  }
}

UINT PlaneCount(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY:
      return data.CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount;
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2:
      return data.CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount;
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3:
      return data.CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount;
    default: return 0;
  }
}

PlaneReport ToReport(const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO& plane) {
  return {plane.LayerIndex, plane.Enabled != FALSE, static_cast<std::uint64_t>(plane.PhysicalAddress.QuadPart)};
}
PlaneReport ToReport(const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2& plane) { return {plane.LayerIndex, true, plane.PresentId}; }
PlaneReport ToReport(const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3& plane) {
  return {plane.LayerIndex, true, plane.FirstFreeFlipQueueLogEntryIndex};
}

std::optional<BrokenInterruptRule> CheckPlanes(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data, const InterruptLimits* limits) {
  if (auto broken = CheckTarget("CrtcVsyncWithMultiPlaneOverlay.VidPnTargetId", TargetOf(data), limits)) return broken;
  const UINT most = std::min<UINT>(limits != nullptr ? limits->overlay_planes : kMaxOverlayLayers, kMaxOverlayLayers);
  const UINT count = PlaneCount(data);
  return WithPlanes(data, [&](const auto* planes) -> std::optional<BrokenInterruptRule> {
    if (count > most || (count != 0 && planes == nullptr)) {
      return BrokenInterruptRule{
          "CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount",
          fmt::format("{} planes at {} are not a list of at most {}.", count, static_cast<const void*>(planes), most)};
    }
    for (UINT i = 0; i < count; ++i) {
      if (planes[i].LayerIndex < most) continue;
      return BrokenInterruptRule{"CrtcVsyncWithMultiPlaneOverlay.LayerIndex",
                                 fmt::format("Layer {} is not one of {}.", planes[i].LayerIndex, most)};
    }
    return std::nullopt;
  });
}

}  // namespace

ULONG TargetOf(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY: return data.CrtcVsyncWithMultiPlaneOverlay.VidPnTargetId;
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2: return data.CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId;
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3: return data.CrtcVsyncWithMultiPlaneOverlay3.VidPnTargetId;
    default: return data.CrtcVsync.VidPnTargetId;
  }
}

NotedPlanes PlanesOf(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  NotedPlanes noted;
  const UINT count = PlaneCount(data);
  if (count == 0) return noted;
  WithPlanes(data, [&](const auto* planes) {
    for (UINT i = 0; i < count; ++i) noted.planes[noted.count++] = ToReport(planes[i]);
  });
  return noted;
}

std::optional<BrokenInterruptRule> CheckInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data, InterruptSource source,
                                                  const InterruptLimits* limits) {
  // Interrupts that the kernel enabled. Vertical blanks with planes alone carry a pointer into the driver's memory.
  switch (data.InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      if (limits == nullptr) return std::nullopt;
      return CheckEngine({"DmaCompleted.NodeOrdinal", "DmaCompleted.EngineOrdinal"}, data.DmaCompleted.NodeOrdinal,
                         data.DmaCompleted.EngineOrdinal, *limits);
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      if (limits == nullptr) return std::nullopt;
      return CheckEngine({"DmaPreempted.NodeOrdinal", "DmaPreempted.EngineOrdinal"}, data.DmaPreempted.NodeOrdinal,
                         data.DmaPreempted.EngineOrdinal, *limits);
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
      if (auto broken = CheckPageFaultFlags(static_cast<UINT>(data.DmaPageFaulted.PageFaultFlags))) return broken;
      if (limits == nullptr) return std::nullopt;
      return CheckEngine({"DmaPageFaulted.NodeOrdinal", "DmaPageFaulted.EngineOrdinal"}, data.DmaPageFaulted.NodeOrdinal,
                         data.DmaPageFaulted.EngineOrdinal, *limits);
    case DXGK_INTERRUPT_CRTC_VSYNC: return CheckTarget("CrtcVsync.VidPnTargetId", TargetOf(data), limits);
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3: return CheckPlanes(data, limits);
    case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED: return std::nullopt;
    case DXGK_INTERRUPT_DISPLAYONLY_VSYNC:
    case DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS:
      if (source == InterruptSource::kDisplayOnlyDriver) return std::nullopt;
      [[fallthrough]];
    default:
      return BrokenInterruptRule{rules::kNotifyInterruptType,
                                 fmt::format("Interrupt type {} was never enabled.", static_cast<int>(data.InterruptType))};
  }
}

}  // namespace tandem::kernel
