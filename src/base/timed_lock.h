// Locks that are taken while the program ends.
#pragma once

#include <mutex>

namespace tandem {

// Without the lock when nobody let go of it for 200 ms: who holds it may be the thread that ends the program, or gone. Tries and
// sleeps, for ThreadSanitizer knows no timed locks before LLVM 16.
[[nodiscard]] std::unique_lock<std::mutex> TimedLock(std::mutex& mutex);

}  // namespace tandem
