// Wakes the display thread at a time. Internal to the module.
#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/condition.h"
#include "base/thread.h"
#include "swapchain/fence.h"

namespace tandem::swapchain {

// Thread-safe. Its own thread sleeps until the time that was set last. Allocates nothing after creation.
class Alarm {
 public:
  // `device` and `clock` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Alarm>> Create(D3DKMT_HANDLE device, Clock& clock);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  // Replaces the time that was set before. kNoDeadline: none. A time in the past rings at once.
  void SetFor(std::int64_t at_ns);
  // Value: times that it rang.
  [[nodiscard]] const MonitoredFence& fence() const { return *fence_; }

 private:
  explicit Alarm(Clock& clock) : clock_(clock) {}
  void Run();

  Clock& clock_;
  std::unique_ptr<MonitoredFence> fence_;
  Mutex mutex_;
  Condition changed_;
  std::int64_t at_ns_ TANDEM_GUARDED_BY(mutex_) = kNoDeadline;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem::swapchain
