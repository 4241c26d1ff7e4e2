// Mutex and condition variable without destructors, so that globals live until the shared object is gone.
#pragma once

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>

#include "drivers/host/clock.h"

namespace tandem::drivers::host {

struct Mutex {
  pthread_mutex_t native = PTHREAD_MUTEX_INITIALIZER;
};

class Locked {
 public:
  explicit Locked(Mutex& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_.native); }
  ~Locked() { pthread_mutex_unlock(&mutex_.native); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Mutex& mutex_;
};

// A program may end its threads while a driver waits on them. pthread_cond_wait would then run its clean-up on an abandoned
// stack; a futex has none.
struct Condition {
  std::uint32_t wakes = 0;    // Atomic.
  std::uint32_t waiters = 0;  // Atomic.

  // The caller holds the waiters' mutex, or has held it since the change that they wait for.
  void Wake() {
    __atomic_add_fetch(&wakes, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&waiters, __ATOMIC_SEQ_CST) != 0) syscall(SYS_futex, &wakes, FUTEX_WAKE_PRIVATE, INT_MAX);
  }
  // The caller holds `mutex`. False: `deadline_ns` has passed.
  bool WaitUntil(Mutex& mutex, std::uint64_t deadline_ns) {
    const timespec deadline{static_cast<time_t>(deadline_ns / 1'000'000'000u), static_cast<long>(deadline_ns % 1'000'000'000u)};
    __atomic_add_fetch(&waiters, 1, __ATOMIC_SEQ_CST);
    const std::uint32_t before = __atomic_load_n(&wakes, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&mutex.native);
    const long waited = syscall(SYS_futex, &wakes, FUTEX_WAIT_BITSET_PRIVATE, before,
                                deadline_ns == kForever ? nullptr : &deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
    const bool in_time = waited == 0 || errno != ETIMEDOUT;
    pthread_mutex_lock(&mutex.native);
    __atomic_sub_fetch(&waiters, 1, __ATOMIC_SEQ_CST);
    return in_time;
  }
};

}  // namespace tandem::drivers::host
