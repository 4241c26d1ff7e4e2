#include "kernel/thunk/teardown.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tandem::kernel {
namespace {

// The objects, of which the list keeps the handles only: object and device would keep each other otherwise.
template <class T>
std::vector<std::shared_ptr<T>> TakeObjects(DeviceObject& device, std::vector<Child<T>> DeviceObject::*list) {
  std::vector<std::shared_ptr<T>> objects;
  const MutexLock lock(device.mutex);
  for (Child<T>& child : device.*list) {
    if (child.object != nullptr) objects.push_back(std::move(child.object));
    child.object = nullptr;
  }
  return objects;
}

template <class T>
std::vector<Child<T>> CopyChildren(DeviceObject& device, std::vector<Child<T>> DeviceObject::*list) {
  const MutexLock lock(device.mutex);
  return device.*list;
}

template <class T>
void CloseAll(HandleTable& handles, DeviceObject& device, std::vector<Child<T>> DeviceObject::*list) {
  for (const Child<T>& child : CopyChildren(device, list)) {
    const auto closed = handles.Close(child.handle, T::kHandleType);
    if constexpr (std::is_same_v<T, ResourceObject>) {
      if (closed != nullptr) CloseAllocations(handles, *std::static_pointer_cast<ResourceObject>(closed));
    }
  }
}

// False: a call of the driver still has one, and does not come back.
bool EndKeptContexts(DeviceObject& device) {
  std::vector<std::unique_ptr<Context>> contexts;
  {
    const MutexLock lock(device.mutex);
    contexts.swap(device.kept_contexts);
  }
  std::erase_if(contexts, [](const auto& context) { return context->End(); });
  const bool ended = contexts.empty();
  const MutexLock lock(device.mutex);
  std::ranges::move(contexts, std::back_inserter(device.kept_contexts));
  return ended;
}

// Gives up references that the device still has to an allocation that it lets go of.
void ReleaseHolds(AdapterInstance& unit, AllocationObject& object) {
  Allocation* const allocation = object.allocation;
  for (auto references = object.residency.exchange(0); references > 0; --references) {
    unit.memory().residency().DropReferences({&allocation, 1});
  }
  if (!allocation->in_memory_segment) {
    if (object.locks.load() > 0) object.locked_pages = allocation->backing;
    return;
  }
  for (auto held = object.locks.exchange(0); held > 0; --held) unit.pager().Unpin(*allocation);
}

}  // namespace

void StopContext(ContextObject& context) {
  if (context.context == nullptr || context.context->End()) {
    context.context.reset();
  } else {
    const MutexLock lock(context.device->mutex);
    context.device->kept_contexts.push_back(std::move(context.context));
  }
}

void StopResource(HandleTable& handles, ResourceObject& object) {
  if (object.resource == nullptr || object.device->device == nullptr) return;
  AdapterInstance& unit = *object.device->unit;
  const bool last_opener = unit.IsLastOpener(*object.resource);
  // Others may still show it or draw with it; what this device submitted is over after that.
  if (!last_opener) unit.scheduler().dispatcher().WaitSubmitted();
  std::vector<HANDLE> opened;
  for (const Child<AllocationObject>& child : object.allocations) {
    AllocationObject& allocation = *child.object;
    if (last_opener) {
      unit.presenter().ReleaseSurface(*allocation.allocation);
      unit.scheduler().uses().Await(*allocation.allocation);
    }
    ReleaseHolds(unit, allocation);
    if (allocation.device_specific != nullptr) opened.push_back(std::exchange(allocation.device_specific, nullptr));
    allocation.allocation = nullptr;
  }
  if (!opened.empty()) object.device->device->Close(opened);

  const std::shared_ptr<Resource> resource = std::exchange(object.resource, nullptr);
  if (!unit.CloseResource(*resource)) return;
  unit.memory().Destroy(*resource);
  const std::shared_ptr<SharedResource> share = std::exchange(resource->share, nullptr);
  if (share == nullptr) return;
  if (share->Forget(unit.number(), *resource)) static_cast<void>(handles.Close(share->handle, HandleType::kShare));
}

void StopSyncObject(HandleTable& handles, SyncObject& object) {
  if (object.stopped.exchange(true) || !object.fence->DropName()) return;
  if (object.share != 0) static_cast<void>(handles.Close(object.share, HandleType::kSyncShare));
}

void StopDevice(HandleTable& handles, DeviceObject& device) {
  if (device.device == nullptr) return;
  for (const auto& context : TakeObjects(device, &DeviceObject::contexts)) StopContext(*context);
  if (!EndKeptContexts(device)) return;
  device.unit->presenter().ReleaseSources(*device.device);
  for (const auto& resource : TakeObjects(device, &DeviceObject::resources)) StopResource(handles, *resource);
  for (const auto& object : TakeObjects(device, &DeviceObject::sync_objects)) StopSyncObject(handles, *object);
  static_cast<void>(TakeObjects(device, &DeviceObject::paging_queues));
  device.device.reset();
}

void CloseAllocations(HandleTable& handles, const ResourceObject& resource) {
  for (const Child<AllocationObject>& child : resource.allocations) {
    static_cast<void>(handles.Close(child.handle, HandleType::kAllocation));
  }
}

void CloseChildren(HandleTable& handles, DeviceObject& device) {
  CloseAll(handles, device, &DeviceObject::paging_queues);
  CloseAll(handles, device, &DeviceObject::contexts);
  CloseAll(handles, device, &DeviceObject::resources);
  CloseAll(handles, device, &DeviceObject::sync_objects);
}

}  // namespace tandem::kernel
