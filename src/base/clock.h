// Time is injected. now() is called in clock.cpp and nowhere else.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>

namespace tandem {

// A deadline that never comes.
inline constexpr std::int64_t kNoDeadline = std::numeric_limits<std::int64_t>::max();

// A monotonic time in nanoseconds since an arbitrary start, and waiting by it. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::int64_t NowNs() const = 0;
  // Waits as std::condition_variable does: the lock is held on entry and on return, and it may wake for no reason, so the
  // caller loops on its own condition. False when the deadline has passed on return. A deadline in the past does not wait.
  virtual bool WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& condition, std::int64_t deadline_ns) = 0;
};

// CLOCK_MONOTONIC, the clock of the kernel's vertical-blank and present timestamps. Lives for the whole process.
[[nodiscard]] Clock& MonotonicClock();

}  // namespace tandem
