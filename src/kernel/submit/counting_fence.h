// Synchronization objects of before monitored fences, as fences: mutexes, semaphores and CPU notifications.
#pragma once

#include <cstdint>
#include <utility>

#include "kernel/submit/cpu_event.h"
#include "kernel/submit/fence.h"

namespace tandem::kernel {

// The value of a signal or a wait for an object that counts.
inline constexpr std::uint64_t kOneCount = 1;

// A semaphore, or a mutex as a semaphore of one: a signal adds one to the count, a wait takes one.
class CountingFence final : public Fence {
 public:
  CountingFence(std::uint64_t initial, std::uint64_t most) : Fence(initial), most_(most) {}

 protected:
  // A signal beyond the most is dropped.
  [[nodiscard]] bool Raise(std::uint64_t /*value*/) override TANDEM_REQUIRES(mutex_) {
    if (value() >= most_) return false;
    SetValue(value() + kOneCount);
    return true;
  }
  [[nodiscard]] bool Take(std::uint64_t /*value*/) override TANDEM_REQUIRES(mutex_) {
    if (value() == 0) return false;
    SetValue(value() - kOneCount);
    return true;
  }

 private:
  const std::uint64_t most_;
};

// Sets an event at each signal. No context waits for it.
class CpuNotification final : public Fence {
 public:
  explicit CpuNotification(CpuEvent event) : Fence(0), event_(std::move(event)) {}

 protected:
  [[nodiscard]] bool Raise(std::uint64_t /*value*/) override TANDEM_REQUIRES(mutex_) {
    event_.Set();
    return false;
  }

 private:
  const CpuEvent event_;
};

}  // namespace tandem::kernel
