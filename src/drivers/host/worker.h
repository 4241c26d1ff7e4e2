// A thread of the host that starts with its first work and ends with the driver.
#pragma once

#include <pthread.h>

#include "drivers/host/lock.h"

namespace tandem::drivers::host {

// `mutex` guards `stopping` and whatever the loop waits for; the loop ends when `stopping` is set.
struct Worker {
  Mutex mutex;
  Condition changed;
  pthread_t thread{};
  bool started = false;
  bool stopping = false;

  // The caller holds the mutex.
  void StartOnce(void* (*loop)(void*)) {
    if (started) return;
    stopping = false;
    started = pthread_create(&thread, nullptr, loop, nullptr) == 0;
  }

  // The caller does not hold the mutex, and is not the thread.
  void Stop() {
    {
      const Locked locked(mutex);
      if (!started) return;
      stopping = true;
      changed.Wake();
    }
    pthread_join(thread, nullptr);
    started = false;
  }
};

}  // namespace tandem::drivers::host
