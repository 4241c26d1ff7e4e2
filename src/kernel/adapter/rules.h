// The names of the rules that a driver can break: what ReportViolation, and the error of a failed start, say.
#pragma once

#include "kernel/adapter/rejections.h"

namespace tandem::kernel::rules {

// Found while a DDI or a callback runs.
inline constexpr char kDdiReturnsAtSameIrql[] = "DdiReturnsAtSameIrql";      // a DDI returns at the IRQL that it was called at
inline constexpr char kDdiReturns[] = "DdiReturns";                          // within TdrSettings::ddi_delay_ns
inline constexpr char kCallbackIrql[] = "CallbackIrql";                      // reference, appendix B
inline constexpr char kNotifyInterruptAtDirql[] = "NotifyInterruptAtDirql";  // from the ISR, or inside SynchronizeExecution
inline constexpr char kNotifyInterruptType[] = "NotifyInterruptType";        // a type that was enabled, never DMA_FAULTED
inline constexpr char kNotifyInterruptThenQueueDpc[] = "NotifyInterruptThenQueueDpc";  // before the ISR returns
inline constexpr char kNotifyInterruptMessage[] = "Interrupt.Message";                 // from the message that the caps name
inline constexpr char kDmaBeforeCrtc[] = "DmaBeforeCrtc";                              // in one run of the interrupt routine
inline constexpr char kInterruptClaim[] = "InterruptClaim";          // TRUE for an interrupt of its own device, and for no other
inline constexpr char kInterruptsAwaitDpc[] = "InterruptsAwaitDpc";  // at most kMaxNotedInterrupts between two DPCs
inline constexpr char kNotifyDpcInDpc[] = "NotifyDpcInDpc";          // only DxgkDdiDpcRoutine calls it
inline constexpr char kRaiseInterruptBelowDirql[] =
    "RaiseInterruptBelowDirql";  // never from the ISR, SynchronizeExecution or a flip

inline constexpr char kVidPnReleased[] = "VidPn.WhatIsAcquiredIsReleased";  // before the DDI that has the VidPN returns
inline constexpr char kVidPnPivot[] = "VidPn.PivotIsKept";       // EnumVidPnCofuncModality assigns no set in place of the pivot's
inline constexpr char kVidPnPinned[] = "VidPn.PinnedModeStays";  // a set that replaces another has its pinned mode
// Each path of a VidPN that DxgkDdiRecommendFunctionalVidPn recommends has pinned modes and a pinned transformation, its source
// and its target exist, and DxgkDdiIsSupportedVidPn supports it.
inline constexpr char kVidPnRecommended[] = "VidPn.RecommendedIsFunctional";
inline constexpr char kVidPnHwCapability[] =
    "VidPn.HwCapability";  // reserved bits of DxgkDdiQueryVidPnHWCapability's answer are 0

// A present that DxgkDdiPresentDisplayOnly left pending is complete within TdrSettings::delay_ns.
inline constexpr char kPresentDisplayOnlyCompletes[] = "PresentDisplayOnlyCompletes";

// DxgkDdiSystemDisplayEnable that succeeds tells a mode of 24 or 32 bits a pixel.
inline constexpr char kSystemDisplayMode[] = "SystemDisplayMode";
// DxgkDdiStopDeviceAndReleasePostDisplayOwnership that succeeds describes a frame buffer that the next owner can draw to.
inline constexpr char kPostDisplayInformation[] = "PostDisplayInformation";

// Found at start, in the driver's table or its caps.
inline constexpr char kInterfaceVersion[] = "InterfaceVersion";
inline constexpr char kMandatoryDdi[] = "MandatoryDdi";
inline constexpr char kUnimplementedCaps[] = "UnimplementedCaps";                // caps whose duties this kernel does not fulfil
inline constexpr char kCrossAdapterTierSuperset[] = "CrossAdapterTierSuperset";  // scan-out includes texture includes copy
inline constexpr char kCrossAdapterAperture[] =
    "CrossAdapterAperture";  // such resources are pageable only into an aperture segment
inline constexpr char kScanoutCheckOverlay[] = "ScanoutCheckOverlay";          // tier 3 implements CheckMPO3
inline constexpr char kHybridIntegratedScanout[] = "HybridIntegratedScanout";  // from WDDM 3.0: tier 3
inline constexpr char kHybridDiscrete[] = "HybridDiscrete";                    // cross-adapter support and no outputs
inline constexpr char kPerEngineTdr[] = "PerEngineTdr";                        // its three DDIs come together
inline constexpr char kMultiEngineContexts[] = "MultiEngineContexts";          // several engines and preemption need contexts
inline constexpr char kNodeCount[] = "NodeCount";
inline constexpr char kPagingNode[] = "PagingNode";
inline constexpr char kSlotId[] = "SlotId";  // 24 bits in a patch location
inline constexpr char kSegmentCount[] = "SegmentCount";
inline constexpr char kSegmentRange[] = "SegmentRange";  // whole pages, no overflow
inline constexpr char kSegmentFlags[] = "SegmentFlags";
inline constexpr char kPagingBuffer[] = "PagingBuffer";
inline constexpr char kVidPnSources[] = "VidPnSources";
inline constexpr char kChildren[] = "Children";

}  // namespace tandem::kernel::rules
