// D3DKMT*: allocations that user mode can do without, until it reclaims them.
#include <utility>
#include <vector>

#include "kernel/memory/limits.h"
#include "kernel/memory/no_memory.h"
#include "kernel/thunk/allocation_list.h"

namespace tandem::kernel {
namespace {

NTSTATUS ToOfferState(D3DKMT_OFFER_PRIORITY priority, OfferState& state) {
  switch (priority) {
    case D3DKMT_OFFER_PRIORITY_LOW: state = OfferState::kLow; return STATUS_SUCCESS;
    case D3DKMT_OFFER_PRIORITY_NORMAL:
    case D3DKMT_OFFER_PRIORITY_AUTO: state = OfferState::kNormal; return STATUS_SUCCESS;
    case D3DKMT_OFFER_PRIORITY_HIGH: state = OfferState::kHigh; return STATUS_SUCCESS;
  }
  return STATUS_INVALID_PARAMETER;
}

// The allocations that the handles of one call name.
struct Named {
  std::vector<Allocation*>& allocations;
  std::vector<std::size_t> ends;  // end of each handle's allocations: one for an allocation, all of a resource
};

NTSTATUS CollectResources(System& system, const DeviceObject& device, UINT count, const D3DKMT_HANDLE* resources, Named& named) {
  if (count == 0 || count > kMaxAllocationsPerCall) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < count; ++i) {
    const HandleRef<ResourceObject> object(system.handles(), resources[i]);
    if (!object || object->resource == nullptr) return STATUS_INVALID_PARAMETER;
    if (object->device.get() != &device) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
    named.allocations.reserve(named.allocations.size() + object->resource->allocations.size());
    for (const auto& allocation : object->resource->allocations) {
      allocation->uses.fetch_add(1, std::memory_order_relaxed);
      named.allocations.push_back(allocation.get());
    }
    named.ends.push_back(named.allocations.size());
  }
  return STATUS_SUCCESS;
}

// Exactly one of the two lists is given.
NTSTATUS Collect(System& system, const DeviceObject& device, UINT count, const D3DKMT_HANDLE* resources,
                 const D3DKMT_HANDLE* list, Named& named) {
  if ((resources == nullptr) == (list == nullptr)) return STATUS_INVALID_PARAMETER;
  if (count <= kMaxAllocationsPerCall) named.ends.reserve(count);  // before any is counted
  if (resources != nullptr) return CollectResources(system, device, count, resources, named);
  const NTSTATUS status = CollectAllocations(system, device, count, list, named.allocations);
  for (std::size_t i = 0; i < named.allocations.size(); ++i) named.ends.push_back(i + 1);
  return status;
}

NTSTATUS Offer(System& system, const D3DKMT_OFFERALLOCATIONS& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  OfferState state = OfferState::kNotOffered;
  if (const NTSTATUS status = ToOfferState(data.Priority, state); !NT_SUCCESS(status)) return status;
  AdapterInstance& unit = *device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  std::vector<Allocation*> allocations;
  Named named{allocations, {}};
  const NTSTATUS status =
      OrNoMemory([&] { return Collect(system, *device, data.NumAllocations, data.pResources, data.HandleList, named); });
  if (NT_SUCCESS(status)) {
    for (Allocation* allocation : named.allocations) unit.memory().residency().Offer(*allocation, state);
  }
  EndUses(unit, named.allocations);
  return status;
}

NTSTATUS Reclaim(System& system, D3DKMT_RECLAIMALLOCATIONS2& data) {
  const HandleRef<PagingQueueObject> queue(system.handles(), data.hPagingQueue);
  if (!queue) return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *queue->device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  RequestNode request(1);
  Named named{request.front().allocations, {}};
  const NTSTATUS status =
      OrNoMemory([&] { return Collect(system, *queue->device, data.NumAllocations, data.pResources, data.HandleList, named); });
  if (!NT_SUCCESS(status)) {
    EndUses(unit, named.allocations);
    return status;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < named.ends.size(); ++i) {
    bool kept = true;
    for (; next < named.ends[i]; ++next) kept = unit.memory().residency().Reclaim(*named.allocations[next]) && kept;
    if (data.pResults != nullptr) data.pResults[i] = kept ? D3DDDI_RECLAIM_RESULT_OK : D3DDDI_RECLAIM_RESULT_DISCARDED;
  }
  return BringIn(unit, *queue, std::move(request), data.PagingFenceValue);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTOfferAllocations(CONST D3DKMT_OFFERALLOCATIONS* data) {
  return InThunk(data, [&](System& system) { return Offer(system, *data); });
}

NTSTATUS APIENTRY D3DKMTReclaimAllocations2(D3DKMT_RECLAIMALLOCATIONS2* data) {
  return InThunk(data, [&](System& system) { return Reclaim(system, *data); });
}
