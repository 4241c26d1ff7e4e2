// Opening a resource on a device: the driver's OpenAllocation and the handles for user mode.
#pragma once

#include "kernel/thunk/system.h"

namespace tandem::kernel {

struct OpenedResource {
  std::shared_ptr<ResourceObject> object;
  D3DKMT_HANDLE handle = 0;  // the resource's; exists for allocations that stand alone too
};

// The caller is inside the adapter and has counted itself in Resource::openers; on failure nothing is opened and it counts itself
// out. STATUS_INSUFFICIENT_RESOURCES without handles, STATUS_DEVICE_REMOVED, or the driver's.
[[nodiscard]] NTSTATUS OpenOnDevice(System& system, const std::shared_ptr<DeviceObject>& device,
                                    const std::shared_ptr<Resource>& resource, bool creating, OpenedResource& opened);

// Undoes OpenOnDevice, or what user mode asks to destroy: closes the handles, then the driver's side. `handle` is the resource's.
// STATUS_INVALID_PARAMETER when it is not open.
[[nodiscard]] NTSTATUS DestroyOpened(System& system, D3DKMT_HANDLE handle);

}  // namespace tandem::kernel
