// D3DKMT*: CPU access. What may lie in a memory segment stays where it is while it is locked; pages of an aperture are at the
// same address whether it is mapped or not.
#include "base/dma_buf.h"
#include "kernel/memory/limits.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

NTSTATUS Lock(System& system, D3DKMT_LOCK2& data) {
  const HandleRef<AllocationObject> object(system.handles(), data.hAllocation);
  if (!object) return STATUS_INVALID_PARAMETER;
  if (object->device->handle != data.hDevice) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  AdapterInstance& unit = *object->device->unit;
  const AdapterGuard guard(unit);
  if (!guard.alive() || object->allocation == nullptr) return STATUS_DEVICE_REMOVED;
  Allocation& allocation = *object->allocation;
  if (!allocation.cpu_visible) return STATUS_NOT_SUPPORTED;
  if (object->locks.fetch_add(1, std::memory_order_relaxed) >= kMaxLocks) {
    object->locks.fetch_sub(1, std::memory_order_relaxed);
    return STATUS_GRAPHICS_ALLOCATION_BUSY;
  }
  if (!allocation.in_memory_segment) {
    if (allocation.backing->is_dma_buf()) BeginDmaBufAccess(allocation.backing->fd());
    data.pData = allocation.backing->user_address();
    return STATUS_SUCCESS;
  }
  NTSTATUS status = unit.pager().Pin(allocation);
  if (NT_SUCCESS(status) && allocation.cpu_address == nullptr) {
    unit.pager().Unpin(allocation);
    status = STATUS_NOT_SUPPORTED;
  }
  if (NT_SUCCESS(status)) {
    data.pData = allocation.cpu_address;
  } else {
    object->locks.fetch_sub(1, std::memory_order_relaxed);
  }
  return status;
}

NTSTATUS Unlock(System& system, const D3DKMT_UNLOCK2& data) {
  const HandleRef<AllocationObject> object(system.handles(), data.hAllocation);
  if (!object) return STATUS_INVALID_PARAMETER;
  if (object->device->handle != data.hDevice) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  if (object->locks.fetch_sub(1, std::memory_order_relaxed) <= 0) {
    object->locks.fetch_add(1, std::memory_order_relaxed);
    return STATUS_INVALID_PARAMETER;
  }
  const AdapterGuard guard(*object->device->unit);
  if (!guard.alive() || object->allocation == nullptr) return STATUS_SUCCESS;
  const Allocation& allocation = *object->allocation;
  if (allocation.in_memory_segment) {
    object->device->unit->pager().Unpin(*object->allocation);
  } else if (allocation.backing->is_dma_buf()) {
    EndDmaBufAccess(allocation.backing->fd());
  }
  return STATUS_SUCCESS;
}

NTSTATUS InvalidateCache(System& system, const D3DKMT_INVALIDATECACHE& data) {
  const HandleRef<AllocationObject> object(system.handles(), data.hAllocation);
  if (!object) return STATUS_INVALID_PARAMETER;
  if (object->device->handle != data.hDevice) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
  const AdapterGuard guard(*object->device->unit);
  if (!guard.alive() || object->allocation == nullptr) return STATUS_DEVICE_REMOVED;
  const Allocation& allocation = *object->allocation;
  if (data.Offset > allocation.size || data.Length > allocation.size - data.Offset) return STATUS_INVALID_PARAMETER;
  const bool locked = object->locks.load(std::memory_order_relaxed) > 0;
  if (locked && !allocation.in_memory_segment && allocation.backing->is_dma_buf()) {
    EndDmaBufAccess(allocation.backing->fd());
    BeginDmaBufAccess(allocation.backing->fd());
  }
  return STATUS_SUCCESS;
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

NTSTATUS APIENTRY D3DKMTInvalidateCache(CONST D3DKMT_INVALIDATECACHE* data) {
  return InThunk(data, [&](System& system) { return InvalidateCache(system, *data); });
}
