#include "kernel/thunk/allocation_list.h"

#include <algorithm>
#include <utility>

#include "kernel/memory/limits.h"

namespace tandem::kernel {

NTSTATUS CollectAllocations(System& system, const DeviceObject& device, UINT count, const D3DKMT_HANDLE* list,
                            std::vector<Allocation*>& allocations) {
  if (count == 0 || count > kMaxAllocationsPerCall || list == nullptr) return STATUS_INVALID_PARAMETER;
  allocations.reserve(count);  // before any is counted
  for (UINT i = 0; i < count; ++i) {
    const HandleRef<AllocationObject> object(system.handles(), list[i]);
    if (!object || object->allocation == nullptr) return STATUS_INVALID_PARAMETER;
    if (object->device != &device) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
    object->allocation->uses.fetch_add(1, std::memory_order_relaxed);
    allocations.push_back(object->allocation);
  }
  return STATUS_SUCCESS;
}

void EndUses(AdapterInstance& unit, const std::vector<Allocation*>& allocations) noexcept {
  for (Allocation* allocation : allocations) unit.scheduler().uses().End(*allocation);
}

NTSTATUS BringIn(AdapterInstance& unit, PagingQueueObject& queue, RequestNode request, UINT64& fence_value) noexcept {
  const auto resident = [](const Allocation* allocation) { return allocation->residency.resident(); };
  ResidencyRequest& wanted = request.front();
  const MutexLock lock(queue.mutex);
  if (std::all_of(wanted.allocations.begin(), wanted.allocations.end(), resident)) {
    EndUses(unit, wanted.allocations);
    fence_value = queue.last_value;
    return STATUS_SUCCESS;
  }
  wanted.fence = queue.fence;
  wanted.value = fence_value = ++queue.last_value;
  unit.pager().BringIn(std::move(request));
  return STATUS_PENDING;
}

}  // namespace tandem::kernel
