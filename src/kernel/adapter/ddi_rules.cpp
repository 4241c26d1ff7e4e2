#include "kernel/adapter/ddi_rules.h"

#include <cstddef>
#include <iterator>

namespace tandem::kernel {
namespace {

using enum SyncLevel;

constexpr DdiRule Passive(const char* name, SyncLevel level) {
  return {name, PASSIVE_LEVEL, level, SyncClass::kNone, false, true};
}
constexpr DdiRule ChildIo(const char* name) { return {name, PASSIVE_LEVEL, kOne, SyncClass::kChildIo, false, true}; }
constexpr DdiRule Pointer(const char* name) { return {name, PASSIVE_LEVEL, kOne, SyncClass::kPointer, false, true}; }
// The system has stopped: HIGH_LEVEL, and nobody else runs.
constexpr DdiRule Stopped(const char* name) { return {name, 15, kThree, SyncClass::kNone, true, true}; }
constexpr DdiRule Scheduler(const char* name, KIRQL irql, bool may_fail) {
  return {name, irql, kOne, SyncClass::kScheduler, false, may_fail};
}

// In the order of Ddi. Levels: reference 2.5; IRQLs: reference appendix B. DDIs that 2.5 does not place are level 0.
constexpr DdiRule kRules[] = {
    Passive("DxgkDdiAddDevice", kThree),
    Passive("DxgkDdiStartDevice", kThree),
    Passive("DxgkDdiStopDevice", kThree),
    Passive("DxgkDdiRemoveDevice", kThree),
    Passive("DxgkDdiUnload", kThree),
    Passive("DxgkDdiQueryInterface", kTwo),
    Passive("DxgkDdiQueryAdapterInfo", kZero),
    Passive("DxgkDdiQueryChildRelations", kThree),
    ChildIo("DxgkDdiQueryChildStatus"),
    ChildIo("DxgkDdiQueryDeviceDescriptor"),
    Passive("DxgkDdiGetNodeMetadata", kZero),
    {"DxgkDdiInterruptRoutine", DIRQL, kInterrupt, SyncClass::kNone, true, true},
    {"DxgkDdiDpcRoutine", DISPATCH_LEVEL, kInterrupt, SyncClass::kNone, false, true},
    Passive("DxgkDdiControlInterrupt", kTwo),
    Passive("DxgkDdiResetDevice", kZero),
    Passive("DxgkDdiCreateDevice", kZero),
    Passive("DxgkDdiDestroyDevice", kZero),
    Passive("DxgkDdiCreateContext", kZero),
    Passive("DxgkDdiDestroyContext", kZero),
    Passive("DxgkDdiCreateAllocation", kZero),
    Passive("DxgkDdiDestroyAllocation", kZero),
    Passive("DxgkDdiDescribeAllocation", kZero),
    Passive("DxgkDdiGetStandardAllocationDriverData", kZero),
    Passive("DxgkDdiOpenAllocation", kZero),
    Passive("DxgkDdiCloseAllocation", kZero),
    Passive("DxgkDdiSetAllocationBackingStore", kZero),
    Scheduler("DxgkDdiBuildPagingBuffer", PASSIVE_LEVEL, true),
    Passive("DxgkDdiPresent", kZero),
    Passive("DxgkDdiRender", kZero),
    Scheduler("DxgkDdiPatch", PASSIVE_LEVEL, false),
    Scheduler("DxgkDdiSubmitCommand", DISPATCH_LEVEL, false),
    Scheduler("DxgkDdiPreemptCommand", DISPATCH_LEVEL, false),
    Passive("DxgkDdiCancelCommand", kZero),
    Passive("DxgkDdiQueryCurrentFence", kZero),
    Passive("DxgkDdiSetVidPnSourceAddress", kTwo),
    {"DxgkDdiSetVidPnSourceAddress", DIRQL, kInterrupt, SyncClass::kNone, true, false},
    {"DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3", DIRQL, kInterrupt, SyncClass::kNone, true, false},
    Passive("DxgkDdiSetVidPnSourceVisibility", kTwo),
    Passive("DxgkDdiSetPalette", kTwo),
    Pointer("DxgkDdiSetPointerPosition"),
    Pointer("DxgkDdiSetPointerShape"),
    Passive("DxgkDdiCommitVidPn", kTwo),
    Passive("DxgkDdiUpdateActiveVidPnPresentPath", kTwo),
    Passive("DxgkDdiRecommendFunctionalVidPn", kTwo),
    Passive("DxgkDdiQueryVidPnHWCapability", kTwo),
    Passive("DxgkDdiRecommendMonitorModes", kTwo),
    Passive("DxgkDdiIsSupportedVidPn", kZero),
    Passive("DxgkDdiEnumVidPnCofuncModality", kZero),
    {"DxgkDdiCheckMultiPlaneOverlaySupport3", PASSIVE_LEVEL, kZero, SyncClass::kNone, false, false},
    Passive("DxgkDdiGetScanLine", kZero),
    Passive("DxgkDdiResetFromTimeout", kThree),
    Passive("DxgkDdiRestartFromTimeout", kThree),
    Scheduler("DxgkDdiResetEngine", PASSIVE_LEVEL, true),
    Scheduler("DxgkDdiQueryEngineStatus", PASSIVE_LEVEL, true),
    Scheduler("DxgkDdiQueryDependentEngineGroup", PASSIVE_LEVEL, true),
    Passive("DxgkDdiCollectDbgInfo", kZero),
    Passive("DxgkDdiEscape", kZero),
    Passive("DxgkDdiEscape", kTwo),
    Passive("DxgkDdiPresentDisplayOnly", kZero),
    Passive("DxgkDdiStopDeviceAndReleasePostDisplayOwnership", kThree),
    Stopped("DxgkDdiSystemDisplayEnable"),
    Stopped("DxgkDdiSystemDisplayWrite"),
    Stopped("DxgkDdiResetDevice"),
    Passive("DxgkDdiNotifySurpriseRemoval", kZero),
    Passive("DXGKDDI_FEATURE_INTERFACE", SyncLevel::kInterrupt),
};
static_assert(std::size(kRules) == static_cast<std::size_t>(Ddi::kCount));

}  // namespace

const DdiRule& RuleOf(Ddi ddi) { return kRules[static_cast<std::size_t>(ddi)]; }

}  // namespace tandem::kernel
