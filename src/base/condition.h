// A condition variable for threads that may be ended while they wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace tandem {

// Threads wait as for std::condition_variable, by a futex. A program may end its threads at any instruction by a signal handler
// that calls pthread_exit on another stack. In a thread that waits for a std::condition_variable, glibc then calls a clean-up
// record on the abandoned stack: it crashes, or locks the mutex for ever. A thread that waits here has no such record and holds
// no lock, so its end does no harm. Thread-safe; no thread waits when it is destroyed. Callers pass MutexLock::native() and wait
// in a loop: wake-ups may be spurious.
class Condition {
 public:
  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void NotifyOne();
  void NotifyAll();
  // The caller holds the lock on entry and on return.
  void Wait(std::unique_lock<std::mutex>& lock);
  template <class Ready>
  void Wait(std::unique_lock<std::mutex>& lock, Ready ready) {
    while (!ready()) Wait(lock);
  }
  // Waits at most until `deadline_ns` of CLOCK_MONOTONIC. For Clock::WaitUntil, which other code calls.
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::int64_t deadline_ns);

 private:
  std::atomic<std::uint32_t> notifications_{0};
  std::atomic<std::uint32_t> waiters_{0};  // ended ones remain counted: each notification then calls the system
};

}  // namespace tandem
