// Handles of keyed mutexes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "kernel/thunk/system.h"

namespace tandem::kernel {

enum class KeyedMutexSharing : std::uint8_t { kByGlobalHandle, kByDescriptor };

// A handle to the mutex, which has counted it. `share` is the global handle, or 0. STATUS_INSUFFICIENT_RESOURCES: then the mutex
// counts the handle no more.
[[nodiscard]] NTSTATUS AddKeyedMutex(System& system, const std::shared_ptr<KeyedMutex>& mutex, KeyedMutexSharing sharing,
                                     D3DKMT_HANDLE share, D3DKMT_HANDLE& handle);

[[nodiscard]] NTSTATUS DestroyKeyedMutex(System& system, D3DKMT_HANDLE handle);

}  // namespace tandem::kernel
