// The DDIs that the kernel calls, and what each demands of its caller.
#pragma once

#include <cstdint>

#include <d3dkmddi.h>

namespace tandem::kernel {

// Every DDI that the kernel calls. The table of IRQL, level and class stands in ddi_rules.cpp.
enum class Ddi : std::uint8_t {
  kAddDevice,
  kStartDevice,
  kStopDevice,
  kRemoveDevice,
  kUnload,
  kQueryInterface,
  kQueryAdapterInfo,
  kQueryChildRelations,
  kQueryChildStatus,
  kQueryDeviceDescriptor,
  kGetNodeMetadata,
  kInterruptRoutine,
  kDpcRoutine,
  kControlInterrupt,
  kResetDevice,
  kCreateDevice,
  kDestroyDevice,
  kCreateContext,
  kDestroyContext,
  kCreateAllocation,
  kDestroyAllocation,
  kDescribeAllocation,
  kGetStandardAllocationDriverData,
  kOpenAllocation,
  kCloseAllocation,
  kSetAllocationBackingStore,
  kBuildPagingBuffer,
  kPresent,
  kRender,
  kPatch,
  kSubmitCommand,
  kPreemptCommand,
  kCancelCommand,
  kQueryCurrentFence,
  kSetVidPnSourceAddress,                        // a mode change, at PASSIVE_LEVEL
  kSetVidPnSourceAddressFlip,                    // an MMIO flip, at DIRQL and never beside the interrupt routine
  kSetVidPnSourceAddressWithMultiPlaneOverlay3,  // for several planes
  kSetVidPnSourceVisibility,
  kSetPalette,
  kSetPointerPosition,
  kSetPointerShape,
  kCommitVidPn,
  kUpdateActiveVidPnPresentPath,
  kRecommendFunctionalVidPn,
  kQueryVidPnHWCapability,
  kRecommendMonitorModes,
  kIsSupportedVidPn,
  kEnumVidPnCofuncModality,
  kCheckMultiPlaneOverlaySupport3,
  kGetScanLine,
  kResetFromTimeout,
  kRestartFromTimeout,
  kResetEngine,
  kQueryEngineStatus,
  kQueryDependentEngineGroup,
  kCollectDbgInfo,
  kEscape,
  kEscapeHardwareAccess,  // with the HardwareAccess flag
  kPresentDisplayOnly,
  kStopDeviceAndReleasePostDisplayOwnership,
  kSystemDisplayEnable,
  kSystemDisplayWrite,
  kResetDeviceWhenStopped,  // DxgkDdiResetDevice, after the system has stopped
  kNotifySurpriseRemoval,
  kFeatureFunction,  // in DXGKDDI_FEATURE_INTERFACE or a feature's own interface
  kCount
};

// Other callers that may be in the driver at the same time (docs/contract.md, Levels).
enum class SyncLevel : std::uint8_t {
  kInterrupt,  // interrupt routine, DPC routine, MMIO flips and feature functions: beside everything, level 3 included
  kZero,       // re-entrant
  kOne,        // one thread for each class
  kTwo,        // nobody of levels 0 to 2. That the GPU is idle is the caller's to make true
  kThree,      // nobody of levels 0 to 3. That memory is evicted, too
};

enum class SyncClass : std::uint8_t { kNone, kScheduler, kChildIo, kPointer, kCount };

struct DdiRule {
  const char* name;  // "DxgkDdiPatch"
  KIRQL irql;
  SyncLevel level;
  SyncClass sync_class;
  bool excludes_isr;  // runs under the interrupt lock
  bool may_fail;      // false: an error status is a broken rule (a bugcheck on Windows)
};

[[nodiscard]] const DdiRule& RuleOf(Ddi ddi);

}  // namespace tandem::kernel
