// D3DKMT*: paging queues and residency.
#include <utility>
#include <vector>

#include "kernel/memory/limits.h"
#include "kernel/thunk/allocation_list.h"
#include "kernel/thunk/system.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

NTSTATUS CreatePagingQueue(System& system, D3DKMT_CREATEPAGINGQUEUE& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  if (data.Priority < D3DDDI_PAGINGQUEUE_PRIORITY_BELOW_NORMAL || data.Priority > D3DDDI_PAGINGQUEUE_PRIORITY_ABOVE_NORMAL ||
      data.PhysicalAdapterIndex != 0) {
    return STATUS_INVALID_PARAMETER;
  }
  const D3DKMT_HANDLE sync_handle = system.handles().Reserve(HandleType::kSyncObject);
  if (sync_handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
  const D3DKMT_HANDLE handle = system.handles().Reserve(HandleType::kPagingQueue);
  if (handle == 0) {
    system.handles().Abandon(sync_handle);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  auto sync = std::make_shared<SyncObject>();
  sync->device = device.Share();
  sync->fence = std::make_shared<Fence>(0);
  auto queue = std::make_shared<PagingQueueObject>();
  queue->device = sync->device;
  queue->sync_object = sync_handle;
  queue->fence = sync->fence;
  device->unit->AddFence(sync->fence);
  data.hPagingQueue = handle;
  data.hSyncObject = sync_handle;
  data.FenceValueCPUVirtualAddress = sync->fence->cpu_address();
  AddChild(*device, &DeviceObject::sync_objects, sync_handle, sync);
  AddChild(*device, &DeviceObject::paging_queues, handle, queue);
  system.handles().Publish(sync_handle, std::move(sync));
  system.handles().Publish(handle, std::move(queue));
  return STATUS_SUCCESS;
}

NTSTATUS DestroyPagingQueue(System& system, D3DKMT_HANDLE handle) {
  const auto closed = system.handles().Close(handle, HandleType::kPagingQueue);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  const auto queue = std::static_pointer_cast<PagingQueueObject>(closed);
  const auto sync = std::static_pointer_cast<SyncObject>(system.handles().Close(queue->sync_object, HandleType::kSyncObject));
  if (sync != nullptr) StopSyncObject(system.handles(), *sync);
  ForgetChild(*queue->device, &DeviceObject::sync_objects, queue->sync_object);
  ForgetChild(*queue->device, &DeviceObject::paging_queues, handle);
  return STATUS_SUCCESS;
}

// The device holds one more reference of each. What was closed meanwhile holds none.
void Hold(System& system, AdapterInstance& unit, const D3DDDI_MAKERESIDENT& data, const std::vector<Allocation*>& allocations) {
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const HandleRef<AllocationObject> object(system.handles(), data.AllocationList[i]);
    if (object && object->allocation == allocations[i]) {
      object->residency.fetch_add(1, std::memory_order_relaxed);
    } else {
      unit.memory().residency().DropReferences({&allocations[i], 1});
    }
  }
}

NTSTATUS MakeResident(System& system, D3DDDI_MAKERESIDENT& data) {
  const HandleRef<PagingQueueObject> queue(system.handles(), data.hPagingQueue);
  if (!queue) return STATUS_INVALID_PARAMETER;
  if (data.Flags.MustSucceed && !data.Flags.CantTrimFurther) return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *queue->device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive() || queue->device->device == nullptr) return STATUS_DEVICE_REMOVED;
  data.PagingFenceValue = 0;
  data.NumBytesToTrim = 0;
  RequestNode request(1);
  const std::vector<Allocation*>& allocations = request.front().allocations;
  NTSTATUS status =
      CollectAllocations(system, *queue->device, data.NumAllocations, data.AllocationList, request.front().allocations);
  const auto limit = data.Flags.CantTrimFurther ? ResidencyLimit::kSegment : ResidencyLimit::kBudget;
  if (NT_SUCCESS(status)) status = unit.memory().residency().AddReferences(allocations, limit, data.NumBytesToTrim);
  DeviceCondition& condition = queue->device->device->condition();
  if (!NT_SUCCESS(status)) {
    EndUses(unit, allocations);
    if (status == STATUS_NO_MEMORY) unit.trims().Ask(data.NumBytesToTrim, queue->device->handle);  // the caller knows
    if (status == STATUS_NO_MEMORY && data.Flags.MustSucceed) unit.scheduler().LoseDevice(condition, DeviceLoss::kNoMemory);
    return status;
  }
  if (data.Flags.MustSucceed) request.front().lost_without = &condition;
  Hold(system, unit, data, allocations);
  if (const std::uint64_t over = unit.memory().residency().BytesOverBudget(); over != 0) unit.trims().Ask(over, 0);
  return BringIn(unit, *queue, std::move(request), data.PagingFenceValue);
}

// Takes one reference of each, or of none.
NTSTATUS LetGo(System& system, const D3DKMT_EVICT& data, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const HandleRef<AllocationObject> object(system.handles(), data.AllocationList[i]);
    if (object && object->residency.fetch_sub(1, std::memory_order_relaxed) > 0) continue;
    if (object) object->residency.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t undone = 0; undone < i; ++undone) {
      const HandleRef<AllocationObject> taken(system.handles(), data.AllocationList[undone]);
      if (taken) taken->residency.fetch_add(1, std::memory_order_relaxed);
    }
    return STATUS_INVALID_PARAMETER;
  }
  return STATUS_SUCCESS;
}

NTSTATUS Evict(System& system, D3DKMT_EVICT& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  std::vector<Allocation*> allocations;
  NTSTATUS status = CollectAllocations(system, *device, data.NumAllocations, data.AllocationList, allocations);
  if (NT_SUCCESS(status)) status = LetGo(system, data, allocations.size());
  if (NT_SUCCESS(status)) unit.memory().residency().DropReferences(allocations);
  EndUses(unit, allocations);
  data.NumBytesToTrim = unit.memory().residency().BytesOverBudget();
  return status;
}

D3DKMT_ALLOCATIONRESIDENCYSTATUS StatusOf(AdapterInstance& unit, Allocation& allocation) {
  if (!allocation.residency.TryPin()) return D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT;
  const SegmentDescription& segment = unit.adapter().segments()[allocation.placement.segment - 1];
  unit.pager().Unpin(allocation);
  return segment.aperture ? D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY
                          : D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY;
}

// A resource's allocations come without a list, and there are as many of them as answers.
NTSTATUS QueryResidency(System& system, const D3DKMT_QUERYALLOCATIONRESIDENCY& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  if (data.pResidencyStatus == nullptr || (data.hResource != 0) == (data.phAllocationList != nullptr))
    return STATUS_INVALID_PARAMETER;
  AdapterInstance& unit = *device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  std::vector<D3DKMT_HANDLE> of_resource;
  if (data.hResource != 0) {
    const HandleRef<ResourceObject> resource(system.handles(), data.hResource);
    if (!resource) return STATUS_INVALID_PARAMETER;
    for (const auto& child : resource->allocations) of_resource.push_back(child.handle);
    if (of_resource.size() != data.AllocationCount) return STATUS_INVALID_PARAMETER;
  }
  std::vector<Allocation*> allocations;
  const NTSTATUS status = CollectAllocations(system, *device, data.AllocationCount,
                                             data.hResource != 0 ? of_resource.data() : data.phAllocationList, allocations);
  if (NT_SUCCESS(status)) {
    for (std::size_t i = 0; i < allocations.size(); ++i) data.pResidencyStatus[i] = StatusOf(unit, *allocations[i]);
  }
  EndUses(unit, allocations);
  return status;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCreatePagingQueue(D3DKMT_CREATEPAGINGQUEUE* data) {
  return InThunk(data, [&](System& system) { return CreatePagingQueue(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroyPagingQueue(D3DDDI_DESTROYPAGINGQUEUE* data) {
  return InThunk(data, [&](System& system) { return DestroyPagingQueue(system, data->hPagingQueue); });
}

NTSTATUS APIENTRY D3DKMTMakeResident(D3DDDI_MAKERESIDENT* data) {
  return InThunk(data, [&](System& system) { return MakeResident(system, *data); });
}

NTSTATUS APIENTRY D3DKMTEvict(D3DKMT_EVICT* data) {
  return InThunk(data, [&](System& system) { return Evict(system, *data); });
}

NTSTATUS APIENTRY D3DKMTQueryAllocationResidency(CONST D3DKMT_QUERYALLOCATIONRESIDENCY* data) {
  return InThunk(data, [&](System& system) { return QueryResidency(system, *data); });
}
