// Mutex and condition variable without destructors, so that globals live until the shared object is gone.
#pragma once

#include <pthread.h>
#include <time.h>

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

struct Condition {
  pthread_cond_t native = PTHREAD_COND_INITIALIZER;

  void Wake() { pthread_cond_broadcast(&native); }
  // The caller holds `mutex`. False: `deadline_ns` has passed.
  bool WaitUntil(Mutex& mutex, std::uint64_t deadline_ns) {
    if (deadline_ns == kForever) return pthread_cond_wait(&native, &mutex.native) == 0;
    const timespec deadline{static_cast<time_t>(deadline_ns / 1'000'000'000u), static_cast<long>(deadline_ns % 1'000'000'000u)};
    return pthread_cond_clockwait(&native, &mutex.native, CLOCK_MONOTONIC, &deadline) == 0;
  }
};

}  // namespace tandem::drivers::host
