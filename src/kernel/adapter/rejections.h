// Rules from what the kernel of Windows rejects. docs/rejections.md has a row with the evidence for each.
#pragma once

namespace tandem::kernel::rules {

// Found at start, in the driver's table, its caps, its segments or its children.
inline constexpr char kPreemptionNeedsContexts[] = "PreemptionNeedsContexts";  // PreemptionAware implies MultiEngineAware
inline constexpr char kCancelNeedsContexts[] = "CancelNeedsContexts";          // and so does CancelCommandAware
inline constexpr char kOverlayDdis[] = "OverlayDdis";                          // behind SupportMultiPlaneOverlay
inline constexpr char kIndependentVSyncControl[] = "IndependentVSyncControl";  // by DxgkDdiControlInterrupt3
inline constexpr char kDriverCapsSize[] = "DriverCapsSize";                    // the driver fills as much as its version has
inline constexpr char kDisplayOnlyVersion[] = "DisplayOnlyVersion";            // at least WDDM 1.2
inline constexpr char kVSyncControlPair[] = "VSyncControlPair";                // of a display-only driver: both DDIs, or none
inline constexpr char kInternalChildConnected[] = "InternalChildConnected";    // an internal panel is not always connected
inline constexpr char kAgpAlone[] = "AgpAlone";                                // beside no other flag
inline constexpr char kAgpBridge[] = "AgpBridge";                              // there is none

// Found while the driver runs.
inline constexpr char kFrequencySpecified[] = "VidPn.FrequencyIsSpecified";  // of target modes, by a driver that tells of VSyncs
inline constexpr char kFrequencyLeftOpen[] = "VidPn.FrequencyIsLeftOpen";    // by a display-only driver that tells of none
inline constexpr char kOffsetOfPrimary[] = "VidPn.OffsetOfPrimaryPath";      // Offset0, where paths have offsets
inline constexpr char kVSyncWithoutOutputs[] = "VSyncOnRenderOnlyAdapter";
inline constexpr char kPageFaultFlags[] = "DmaPageFaulted.PageFaultFlags";  // no fence means a reset; no undefined bits
inline constexpr char kPageFaultFatal[] = "DmaPageFaulted.FatalHardwareError";
inline constexpr char kCreateAllocationStatus[] = "CreateAllocation.Status";  // one that the contract names
inline constexpr char kCpuVisibleSegment[] = "CreateAllocation.CpuVisibleSegment";
inline constexpr char kCancelMayNotFail[] = "CancelCommand.MayNotFail";
inline constexpr char kDdiMayNotFail[] = "DdiMayNotFail";  // Patch, SubmitCommand, PreemptCommand, flips, CheckMPO3

}  // namespace tandem::kernel::rules
