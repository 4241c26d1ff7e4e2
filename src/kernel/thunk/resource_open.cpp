#include "kernel/thunk/resource_open.h"

#include <utility>

#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

// Handles first: while it opens them the driver may ask for what is behind them.
NTSTATUS PublishAllocations(System& system, const std::shared_ptr<DeviceObject>& device, OpenedResource& opened) {
  for (const auto& allocation : opened.object->resource->allocations) {
    const D3DKMT_HANDLE handle = system.handles().Reserve(HandleType::kAllocation);
    if (handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
    auto object = std::make_shared<AllocationObject>();
    object->device = device.get();
    object->allocation = allocation.get();
    object->resource = opened.handle;
    opened.object->allocations.push_back({handle, object});
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
  opened.handle = system.handles().Reserve(HandleType::kResource);
  if (opened.handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
  opened.object = std::make_shared<ResourceObject>();
  opened.object->device = device;
  opened.object->resource = resource;
  system.handles().Publish(opened.handle, opened.object);
  NTSTATUS status = PublishAllocations(system, device, opened);
  if (NT_SUCCESS(status)) status = OpenAtDriver(*device, *opened.object, creating);
  if (NT_SUCCESS(status)) {
    AddChild(*device, &DeviceObject::resources, opened.handle, opened.object);
    return STATUS_SUCCESS;
  }
  static_cast<void>(system.handles().Close(opened.handle, HandleType::kResource));
  CloseAllocations(system.handles(), *opened.object);
  opened = {};
  return status;
}

NTSTATUS DestroyOpened(System& system, D3DKMT_HANDLE handle) {
  std::shared_ptr<DeviceObject> device;
  {
    const HandleRef<ResourceObject> object(system.handles(), handle);
    if (!object) return STATUS_INVALID_HANDLE;
    device = object->device;
  }
  const RundownGuard guard(device->unit->rundown());
  if (!guard.entered()) device->unit->AwaitRemoval();
  const auto closed = system.handles().Close(handle, HandleType::kResource);
  if (closed == nullptr) return STATUS_INVALID_HANDLE;
  const auto object = std::static_pointer_cast<ResourceObject>(closed);
  CloseAllocations(system.handles(), *object);
  StopResource(system.handles(), *object);
  ForgetChild(*device, &DeviceObject::resources, handle);
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
