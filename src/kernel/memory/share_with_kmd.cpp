#include "kernel/memory/share_with_kmd.h"

#include <optional>

#include <fmt/core.h>

#include "base/log.h"
#include "kernel/memory/allocation_check.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/memory/memory_manager.h"

namespace tandem::kernel {
namespace {

// Rules that only the driver can have broken.
std::optional<Violation> CheckDriver(Adapter& adapter, const Allocation& allocation, const DXGK_ALLOCATIONINFO& info) {
  if (!adapter.FeatureEnabled(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD)) {
    return Violation{"ShareBackingStoreWithKmd.Feature",
                     "ShareBackingStoreWithKmd is set and the feature SHARE_BACKING_STORE_WITH_KMD is not enabled."};
  }
  if (adapter.ddi().DxgkDdiSetAllocationBackingStore == nullptr) {
    return Violation{"ShareBackingStoreWithKmd.Ddi",
                     "ShareBackingStoreWithKmd is set and DxgkDdiSetAllocationBackingStore is missing."};
  }
  if (allocation.in_memory_segment) {
    return Violation{"ShareBackingStoreWithKmd.SegmentSet",
                     fmt::format("ShareBackingStoreWithKmd is set and the supported set 0x{:X} names a memory segment; only "
                                 "system memory, which is an aperture segment, is allowed.",
                                 info.SupportedWriteSegmentSet)};
  }
  if (!allocation.cpu_visible) {
    return Violation{"ShareBackingStoreWithKmd.CpuVisible",
                     fmt::format("ShareBackingStoreWithKmd is set and Flags 0x{:X} lack CpuVisible.", info.Flags.Value)};
  }
  if (info.Flags.ExistingSysMem || info.Flags.ExistingKernelSysMem) {
    return Violation{
        "ShareBackingStoreWithKmd.ExistingSysMem",
        fmt::format("ShareBackingStoreWithKmd is set and Flags 0x{:X} ask for existing system memory.", info.Flags.Value)};
  }
  return std::nullopt;
}

}  // namespace

NTSTATUS ShareWithKmd(Adapter& adapter, const Allocation& allocation, const DXGK_ALLOCATIONINFO& info,
                      const ResourceRequest& request) {
  if (!info.Flags2.ShareBackingStoreWithKmd) return STATUS_SUCCESS;
  if (const auto violation = CheckDriver(adapter, allocation, info)) {
    adapter.ReportViolation(violation->rule, violation->seen);
    return STATUS_DEVICE_REMOVED;
  }
  // The driver cannot see what user mode asked for beside its private data.
  if (!request.shared) {
    Log(LogLevel::kWarn, "An allocation whose backing store is shared with the driver must be created as shared (CreateShared).");
    return STATUS_INVALID_PARAMETER;
  }
  if (request.existing_is_users) {
    Log(LogLevel::kWarn, "An allocation whose backing store is shared with the driver cannot use existing system memory.");
    return STATUS_NOT_SUPPORTED;
  }
  DXGKARG_SETALLOCATIONBACKINGSTORE args{};
  args.hDriverAllocation = allocation.driver_handle;
  args.pBackingStore = allocation.backing->address();
  return CallDdi(adapter, Ddi::kSetAllocationBackingStore, adapter.ddi().DxgkDdiSetAllocationBackingStore,
                 adapter.miniport_context(), &args);
}

}  // namespace tandem::kernel
