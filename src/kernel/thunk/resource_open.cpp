#include "kernel/thunk/resource_open.h"

#include <utility>

#include "kernel/memory/no_memory.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

// Handles first: while it opens them the driver may ask for what is behind them.
NTSTATUS PublishAllocations(System& system, const std::shared_ptr<DeviceObject>& device, OpenedResource& opened) {
  for (const auto& allocation : opened.object->resource->allocations) {
    auto object = std::make_shared<AllocationObject>();
    object->device = device.get();
    object->allocation = allocation.get();
    object->resource = opened.handle;
    opened.object->allocations.push_back({0, object});
    const D3DKMT_HANDLE handle = system.handles().Reserve(HandleType::kAllocation);
    if (handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
    opened.object->allocations.back().handle = handle;
    system.handles().Publish(handle, std::move(object));
  }
  return STATUS_SUCCESS;
}

NTSTATUS OpenAtDriver(DeviceObject& device, ResourceObject& object, bool creating) {
  Resource& resource = *object.resource;
  std::vector<Device::OpenRequest> requests(object.allocations.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].handle = object.allocations[i].handle;
    requests[i].private_data = &resource.allocations[i]->private_data;
  }
  const NTSTATUS status = device.device->Open(requests, resource.private_data, creating);
  if (!NT_SUCCESS(status)) return status;
  for (std::size_t i = 0; i < requests.size(); ++i) object.allocations[i].object->device_specific = requests[i].device_specific;
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS OpenOnDevice(System& system, const std::shared_ptr<DeviceObject>& device, const std::shared_ptr<Resource>& resource,
                      bool creating, OpenedResource& opened) {
  auto object = std::make_shared<ResourceObject>();
  object->device = device;
  object->resource = resource;
  const D3DKMT_HANDLE handle =
      system.handles().Reserve(HandleType::kResource, resource->is_resource ? HandleSpace::kLocal : HandleSpace::kHidden);
  if (handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
  system.handles().Publish(handle, object);
  opened = {std::move(object), handle};
  bool listed = false;
  const NTSTATUS status = OrNoMemory([&] {
    if (const NTSTATUS published = PublishAllocations(system, device, opened); !NT_SUCCESS(published)) return published;
    AddChild(*device, &DeviceObject::resources, opened.handle, opened.object);
    listed = true;
    return OpenAtDriver(*device, *opened.object, creating);  // last: there is nothing to undo at the driver
  });
  if (NT_SUCCESS(status)) return status;
  if (listed) ForgetChild(*device, &DeviceObject::resources, opened.handle);
  static_cast<void>(system.handles().Close(opened.handle, HandleType::kResource));
  CloseAllocations(system.handles(), *opened.object);
  opened = {};
  return status;
}

NTSTATUS DestroyOpened(System& system, D3DKMT_HANDLE handle) {
  std::shared_ptr<DeviceObject> device;
  {
    const HandleRef<ResourceObject> object(system.handles(), handle);
    if (!object) return STATUS_INVALID_PARAMETER;
    device = object->device;
  }
  const RundownGuard guard(device->unit->rundown());
  if (!guard.entered()) device->unit->AwaitRemoval();
  if (device->unit->hung()) return STATUS_SUCCESS;
  const auto closed = system.handles().Close(handle, HandleType::kResource);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  const auto object = std::static_pointer_cast<ResourceObject>(closed);
  CloseAllocations(system.handles(), *object);
  StopResource(system.handles(), *object);
  ForgetChild(*device, &DeviceObject::resources, handle);
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
