#include "kernel/thunk/sync_object.h"

#include <utility>

#include "kernel/memory/no_memory.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {

NTSTATUS AddSyncObject(System& system, const std::shared_ptr<DeviceObject>& device, std::shared_ptr<SyncObject> object,
                       D3DKMT_HANDLE& handle) {
  D3DKMT_HANDLE reserved = 0;
  const NTSTATUS status = OrNoMemory([&] {
    reserved = system.handles().Reserve(HandleType::kSyncObject);
    if (reserved == 0) return STATUS_INSUFFICIENT_RESOURCES;
    if (device == nullptr) return STATUS_SUCCESS;
    object->device = device;
    device->unit->AddFence(object->fence);
    device->device->condition().AddFence(object->fence);
    AddChild(*device, &DeviceObject::sync_objects, reserved, object);
    return STATUS_SUCCESS;
  });
  if (!NT_SUCCESS(status)) {
    if (reserved != 0) system.handles().Abandon(reserved);
    StopSyncObject(system.handles(), *object);
    return status;
  }
  handle = reserved;
  system.handles().Publish(reserved, std::move(object));
  return STATUS_SUCCESS;
}

NTSTATUS DestroySyncObject(System& system, D3DKMT_HANDLE handle) {
  const auto closed = system.handles().Close(handle, HandleType::kSyncObject);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  const auto object = std::static_pointer_cast<SyncObject>(closed);
  StopSyncObject(system.handles(), *object);
  if (object->device != nullptr) ForgetChild(*object->device, &DeviceObject::sync_objects, handle);
  system.nt_objects().DropClosed();
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
