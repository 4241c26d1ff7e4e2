// Handles of synchronization objects.
#pragma once

#include <memory>

#include "kernel/thunk/system.h"

namespace tandem::kernel {

// Gives a device, or with null none, a handle to the object, which is one of its fence's names. The caller is inside the device's
// adapter. On failure the object is stopped: STATUS_INSUFFICIENT_RESOURCES without handles, STATUS_NO_MEMORY.
[[nodiscard]] NTSTATUS AddSyncObject(System& system, const std::shared_ptr<DeviceObject>& device,
                                     std::shared_ptr<SyncObject> object, D3DKMT_HANDLE& handle);

[[nodiscard]] NTSTATUS DestroySyncObject(System& system, D3DKMT_HANDLE handle);

}  // namespace tandem::kernel
