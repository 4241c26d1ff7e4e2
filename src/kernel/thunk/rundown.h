// Lets calls in until the owner closes the door, and tells the owner when the last one is out.
#pragma once

#include <atomic>
#include <cstdint>

namespace tandem::kernel {

// Threads: any for Enter and Leave; one for Close.
class Rundown {
 public:
  // False once Close was called. Every true is paired with a Leave.
  [[nodiscard]] bool Enter() {
    const std::uint32_t before = state_.fetch_add(kCaller, std::memory_order_acquire);
    if ((before & kClosed) == 0) return true;
    Leave();
    return false;
  }
  void Leave() {
    if (state_.fetch_sub(kCaller, std::memory_order_release) == (kClosed | kCaller)) state_.notify_all();
  }
  // Nobody enters any more.
  void Close() { state_.fetch_or(kClosed, std::memory_order_acq_rel); }
  // After Close: true when nobody is in; false when GiveUp was called since the last time.
  [[nodiscard]] bool Drain() {
    std::uint32_t state = state_.load(std::memory_order_acquire);
    for (; (state & kStuck) == 0 && state != kClosed; state = state_.load(std::memory_order_acquire)) {
      state_.wait(state, std::memory_order_acquire);
    }
    if ((state & kStuck) == 0) return true;
    state_.fetch_and(~kStuck, std::memory_order_acq_rel);
    return false;
  }
  // Somebody who is in may never leave.
  void GiveUp() {
    state_.fetch_or(kStuck, std::memory_order_acq_rel);
    state_.notify_all();
  }
  [[nodiscard]] bool closed() const { return (state_.load(std::memory_order_acquire) & kClosed) != 0; }

 private:
  static constexpr std::uint32_t kClosed = 1, kStuck = 2, kCaller = 4;
  std::atomic<std::uint32_t> state_{0};
};

class RundownGuard {
 public:
  explicit RundownGuard(Rundown& rundown) : rundown_(rundown.Enter() ? &rundown : nullptr) {}
  ~RundownGuard() {
    if (rundown_ != nullptr) rundown_->Leave();
  }
  RundownGuard(const RundownGuard&) = delete;
  RundownGuard& operator=(const RundownGuard&) = delete;
  [[nodiscard]] bool entered() const { return rundown_ != nullptr; }

 private:
  Rundown* rundown_;
};

}  // namespace tandem::kernel
