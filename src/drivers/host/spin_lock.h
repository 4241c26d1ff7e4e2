// Spin locks of the driver: the lock's word refers to a mutex of the host.
#pragma once

namespace tandem::drivers::host {

// Spin locks that the calling thread holds.
[[nodiscard]] int HeldSpinLocks();

}  // namespace tandem::drivers::host
