#include "kernel/thunk/sync_object.h"

#include <utility>

#include "kernel/thunk/teardown.h"

namespace tandem::kernel {

NTSTATUS AddSyncObject(System& system, const std::shared_ptr<DeviceObject>& device, const std::shared_ptr<Fence>& fence,
                       FenceSharing sharing, D3DKMT_HANDLE& handle) {
  auto object = std::make_shared<SyncObject>();
  object->unit = device->unit;
  object->device = device;
  object->fence = fence;
  object->nt_sharing = sharing == FenceSharing::kByDescriptor;
  handle = system.handles().Reserve(HandleType::kSyncObject);
  if (handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
  device->unit->AddFence(fence);
  device->device->condition().AddFence(fence);
  AddChild(*device, &DeviceObject::sync_objects, handle, object);
  system.handles().Publish(handle, std::move(object));
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
