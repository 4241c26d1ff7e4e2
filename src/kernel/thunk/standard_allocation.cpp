#include "kernel/thunk/standard_allocation.h"
#include "kernel/memory/standard_surface.h"

#include <utility>

#include "base/log.h"

namespace tandem::kernel {
namespace {

NTSTATUS CheckFlags(const D3DKMT_CREATEALLOCATION& data) {
  const D3DKMT_CREATEALLOCATIONFLAGS& flags = data.Flags;
  if (!flags.StandardAllocation || flags.ExistingSysMem == flags.ExistingSection) return STATUS_INVALID_PARAMETER;
  if (!flags.CreateResource || !flags.CreateShared || !flags.CrossAdapter || data.hResource != 0) return STATUS_INVALID_PARAMETER;
  if (data.NumAllocations != 1 || data.pStandardAllocation == nullptr) return STATUS_INVALID_PARAMETER;
  const D3DKMT_CREATESTANDARDALLOCATION& standard = *data.pStandardAllocation;
  if (standard.Type != D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP) return STATUS_NOT_SUPPORTED;
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
  request.is_resource = request.shared = request.cross_adapter = request.existing_is_users = true;
  request.existing = *std::move(backing);
  request.private_data = std::move(standard.resource_data);
  request.allocations.push_back({std::move(standard.allocation_data), false, 0});
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
