// A mutex that can be given up: who waits for it is let go, and nobody gets it any more.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread_sanitizer.h"

namespace tandem::kernel {

// Threads: any.
class GateMutex {
 public:
  // False once it is given up; nothing is locked then.
  [[nodiscard]] bool Lock() {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while ((state & kGivenUp) == 0) {
      if ((state & kLocked) != 0) {
        if ((state & kAwaited) == 0 && !state_.compare_exchange_weak(state, state | kAwaited, std::memory_order_relaxed))
          continue;
        state_.wait(state | kAwaited, std::memory_order_relaxed);
        state = state_.load(std::memory_order_relaxed);
      } else if (state_.compare_exchange_weak(state, state | kLocked, std::memory_order_acquire, std::memory_order_relaxed)) {
        TellAfter(this);
        return true;
      }
    }
    return false;
  }
  void Unlock() {
    TellBefore(this);
    if ((state_.fetch_and(~(kLocked | kAwaited), std::memory_order_release) & kAwaited) != 0) state_.notify_all();
  }
  void GiveUp() {
    state_.fetch_or(kGivenUp, std::memory_order_acq_rel);
    state_.notify_all();
  }

 private:
  static constexpr std::uint32_t kLocked = 1, kGivenUp = 2, kAwaited = 4;
  std::atomic<std::uint32_t> state_{0};
};

}  // namespace tandem::kernel
