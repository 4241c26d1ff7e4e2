// D3DKMT*: CPU access and residency. Allocations do not move yet: residency is counted, and everything is resident.
#include "kernel/memory/limits.h"
#include "kernel/thunk/system.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

NTSTATUS Lock(System& system, D3DKMT_LOCK2& data) {
  const HandleRef<AllocationObject> allocation(system.handles(), data.hAllocation);
  if (!allocation) return STATUS_INVALID_HANDLE;
  if (allocation->device->handle != data.hDevice) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  const AdapterGuard guard(*allocation->device->unit);
  if (!guard.alive() || allocation->allocation == nullptr) return STATUS_DEVICE_REMOVED;
  if (allocation->allocation->cpu_address == nullptr) return STATUS_NOT_SUPPORTED;
  allocation->locks.fetch_add(1, std::memory_order_relaxed);
  data.pData = allocation->allocation->cpu_address;
  return STATUS_SUCCESS;
}

NTSTATUS Unlock(System& system, const D3DKMT_UNLOCK2& data) {
  const HandleRef<AllocationObject> allocation(system.handles(), data.hAllocation);
  if (!allocation) return STATUS_INVALID_HANDLE;
  if (allocation->device->handle != data.hDevice) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  if (allocation->locks.fetch_sub(1, std::memory_order_relaxed) > 0) return STATUS_SUCCESS;
  allocation->locks.fetch_add(1, std::memory_order_relaxed);
  return STATUS_INVALID_PARAMETER;
}

// Adds `step` to the residency of every allocation in the list, or of none.
NTSTATUS CountResidency(System& system, const DeviceObject& device, UINT count, const D3DKMT_HANDLE* list, std::int64_t step) {
  if (count == 0 || count > kMaxAllocationsPerCall || list == nullptr) return STATUS_INVALID_PARAMETER;
  for (UINT i = 0; i < count; ++i) {
    const HandleRef<AllocationObject> allocation(system.handles(), list[i]);
    if (!allocation) return STATUS_INVALID_HANDLE;
    if (allocation->device != &device) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
    if (allocation->residency.load(std::memory_order_relaxed) + step < 0) return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < count; ++i) {
    const HandleRef<AllocationObject> allocation(system.handles(), list[i]);
    if (allocation) allocation->residency.fetch_add(step, std::memory_order_relaxed);
  }
  return STATUS_SUCCESS;
}

NTSTATUS CreatePagingQueue(System& system, D3DKMT_CREATEPAGINGQUEUE& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_HANDLE;
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
  sync->unit = device->unit;
  sync->device = device.Share();
  sync->fence = std::make_shared<Fence>(0);
  auto queue = std::make_shared<PagingQueueObject>();
  queue->device = sync->device;
  queue->sync_object = sync_handle;
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
  if (closed == nullptr) return STATUS_INVALID_HANDLE;
  const auto queue = std::static_pointer_cast<PagingQueueObject>(closed);
  const auto sync = std::static_pointer_cast<SyncObject>(system.handles().Close(queue->sync_object, HandleType::kSyncObject));
  if (sync != nullptr) StopSyncObject(*sync);
  ForgetChild(*queue->device, &DeviceObject::sync_objects, queue->sync_object);
  ForgetChild(*queue->device, &DeviceObject::paging_queues, handle);
  return STATUS_SUCCESS;
}

NTSTATUS MakeResident(System& system, D3DDDI_MAKERESIDENT& data) {
  const HandleRef<PagingQueueObject> queue(system.handles(), data.hPagingQueue);
  if (!queue) return STATUS_INVALID_HANDLE;
  if (data.Flags.MustSucceed && !data.Flags.CantTrimFurther) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*queue->device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  data.PagingFenceValue = 0;
  data.NumBytesToTrim = 0;
  return CountResidency(system, *queue->device, data.NumAllocations, data.AllocationList, 1);
}

NTSTATUS Evict(System& system, D3DKMT_EVICT& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_HANDLE;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  data.NumBytesToTrim = 0;
  return CountResidency(system, *device, data.NumAllocations, data.AllocationList, -1);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTLock2(D3DKMT_LOCK2* data) {
  return InThunk(data, [&](System& system) { return Lock(system, *data); });
}

NTSTATUS APIENTRY D3DKMTUnlock2(CONST D3DKMT_UNLOCK2* data) {
  return InThunk(data, [&](System& system) { return Unlock(system, *data); });
}

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
