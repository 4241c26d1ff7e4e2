// Taking apart what user mode made: at the driver first, in the order that the contract wants.
#pragma once

#include <algorithm>

#include "kernel/thunk/objects.h"

namespace tandem::kernel {

// The caller is inside the adapter (RundownGuard) or removes it, and nobody else uses the objects: their handles are closed, or
// every call is kept out. The objects become shells. Each is idempotent.
void StopContext(ContextObject& context);
// Waits until nothing uses its allocations; a source that scans one out is switched off.
void StopResource(HandleTable& handles, ResourceObject& resource);
void StopSyncObject(HandleTable& handles, SyncObject& object);
// Everything that the device made, then the device.
void StopDevice(HandleTable& handles, DeviceObject& device);

// Waits until nobody uses the allocations and closes their handles.
void CloseAllocations(HandleTable& handles, const ResourceObject& resource);
// Waits and closes handles for everything that the device made.
void CloseChildren(HandleTable& handles, DeviceObject& device);

// The device's list loses a child.
template <class T>
void ForgetChild(DeviceObject& device, std::vector<Child<T>> DeviceObject::*list, D3DKMT_HANDLE handle) {
  Child<T> forgotten;
  const MutexLock lock(device.mutex);
  std::vector<Child<T>>& children = device.*list;
  const auto found = std::find_if(children.begin(), children.end(), [&](const auto& child) { return child.handle == handle; });
  if (found == children.end()) return;
  forgotten = std::move(*found);
  children.erase(found);
}

template <class T>
void AddChild(DeviceObject& device, std::vector<Child<T>> DeviceObject::*list, D3DKMT_HANDLE handle, std::shared_ptr<T> object) {
  const MutexLock lock(device.mutex);
  (device.*list).push_back({handle, std::move(object)});
}

}  // namespace tandem::kernel
