// Time is injected. Only clock.cpp calls now().
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>

#include "base/condition.h"

namespace tandem {

// A deadline that never passes.
inline constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int64_t>::max();

// Monotonic time in nanoseconds since an arbitrary start, with waits on it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::int64_t NowNs() const = 0;
  // Waits as Condition does. The caller holds the lock on entry and on return. Wake-ups may be spurious, so the caller loops on
  // its own condition. Returns false when the deadline has passed. A deadline in the past does not wait.
  virtual bool WaitUntil(std::unique_lock<std::mutex>& lock, Condition& condition, std::int64_t deadline_ns) = 0;
};

// CLOCK_MONOTONIC, the clock of the kernel's vertical-blank and present timestamps. Lives for the whole process.
[[nodiscard]] Clock& MonotonicClock();

}  // namespace tandem
