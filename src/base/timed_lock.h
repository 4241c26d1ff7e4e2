// Locks taken while the program exits.
#pragma once

#include <mutex>

namespace tandem {

// Returns without the lock after 200 ms: its holder may be the exiting thread, or gone. Tries and sleeps, because
// ThreadSanitizer supports no timed locks before LLVM 16.
[[nodiscard]] std::unique_lock<std::mutex> TimedLock(std::mutex& mutex);

}  // namespace tandem
