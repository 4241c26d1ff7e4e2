// Handles of fences.
#pragma once

#include <cstdint>
#include <memory>

#include "kernel/thunk/system.h"

namespace tandem::kernel {

enum class FenceSharing : std::uint8_t { kNone, kByDescriptor };

// Gives a device a handle to the fence, which has counted it as a name. The caller is inside the adapter.
[[nodiscard]] NTSTATUS AddSyncObject(System& system, const std::shared_ptr<DeviceObject>& device,
                                     const std::shared_ptr<Fence>& fence, FenceSharing sharing, D3DKMT_HANDLE& handle);

}  // namespace tandem::kernel
