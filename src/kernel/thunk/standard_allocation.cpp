#include "kernel/thunk/standard_allocation.h"

#include <utility>

#include "base/log.h"
#include "kernel/memory/standard_surface.h"
#include "kernel/thunk/private_data.h"

namespace tandem::kernel {
namespace {

NTSTATUS CheckFlags(const D3DKMT_CREATEALLOCATION& data) {
  const D3DKMT_CREATEALLOCATIONFLAGS& flags = data.Flags;
  if (!flags.StandardAllocation || flags.ExistingSysMem == flags.ExistingSection) return STATUS_INVALID_PARAMETER;
  if (data.hResource != 0 || (flags.CreateShared && !flags.CreateResource) || (flags.NtSecuritySharing && !flags.CreateShared))
    return STATUS_INVALID_PARAMETER;
  if (flags.CrossAdapter && !flags.CreateShared) return STATUS_INVALID_PARAMETER_MIX;
  if (data.NumAllocations != 1 || data.pStandardAllocation == nullptr || data.PrivateDriverDataSize != 0 ||
      !IsPrivateData(data.pPrivateRuntimeData, data.PrivateRuntimeDataSize)) {
    return STATUS_INVALID_PARAMETER;
  }
  const D3DKMT_CREATESTANDARDALLOCATION& standard = *data.pStandardAllocation;
  if (standard.Type != D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP) return STATUS_INVALID_PARAMETER;
  const SIZE_T size = standard.ExistingHeapData.Size;
  if (size == 0 || size % PAGE_SIZE != 0 || size > kMaxBackingStoreBytes || standard.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

Result<std::shared_ptr<BackingStore>> Take(const D3DKMT_CREATEALLOCATION& data, const void* existing) {
  const SIZE_T size = data.pStandardAllocation->ExistingHeapData.Size;
  if (data.Flags.ExistingSysMem) return BackingStore::Adopt(static_cast<std::byte*>(const_cast<void*>(existing)), size);
  UniqueFd borrowed(static_cast<int>(reinterpret_cast<std::intptr_t>(existing)));
  auto opened = BackingStore::Open(borrowed, size);
  static_cast<void>(borrowed.Release());
  return opened;
}

}  // namespace

NTSTATUS ReadStandardAllocation(AdapterInstance& unit, const D3DKMT_CREATEALLOCATION& data, const void* existing,
                                ResourceRequest& request) {
  if (const NTSTATUS status = CheckFlags(data); !NT_SUCCESS(status)) return status;
  auto backing = Take(data, existing);
  if (!backing.ok()) {
    Log(LogLevel::kWarn, "{}", backing.error().message);
    return backing.error().kind == ErrorKind::kOutOfMemory ? STATUS_NO_MEMORY : STATUS_INVALID_PARAMETER;
  }
  const SurfaceDescription row{static_cast<UINT>((*backing)->size()), 1, D3DDDIFMT_UNKNOWN};
  StandardSurfaceData standard;
  if (const NTSTATUS status = DescribeCrossAdapterSurface(unit.adapter(), row, 0, standard); !NT_SUCCESS(status)) return status;
  request.is_resource = data.Flags.CreateResource != 0;
  request.shared = data.Flags.CreateShared != 0;
  request.cross_adapter = request.existing_is_users = true;  // whoever opens it: it is a row of bytes to every adapter
  const auto* const runtime_data = static_cast<const std::byte*>(data.pPrivateRuntimeData);
  request.runtime_data.assign(runtime_data, runtime_data + data.PrivateRuntimeDataSize);
  request.existing = *std::move(backing);
  request.private_data = std::move(standard.resource_data);
  request.allocations.push_back({std::move(standard.allocation_data), false, 0});
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
