// A thread that looks when something has taken too long: engines, or calls of a driver. It sleeps by the injected clock, and
// without a deadline while nothing runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"

namespace tandem::kernel {

class TimeoutWatch {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // A deadline came. Does what is due and returns the next deadline, kNoDeadline for none. The watch's thread, PASSIVE_LEVEL.
    virtual std::int64_t CheckTimeouts() = 0;
  };

  // Clock and owner outlive the watch. kLimit when the system has no more threads.
  [[nodiscard]] static Result<std::unique_ptr<TimeoutWatch>> Create(Clock& clock, Owner& owner, const char* thread_name);
  ~TimeoutWatch();
  TimeoutWatch(const TimeoutWatch&) = delete;
  TimeoutWatch& operator=(const TimeoutWatch&) = delete;

  // The owner is asked at `deadline_ns` or before. One atomic load when that is so already. Any thread, also under the owner's
  // locks.
  void Arm(std::int64_t deadline_ns);

 private:
  TimeoutWatch(Clock& clock, Owner& owner) : clock_(clock), owner_(owner) {}
  void Run();

  Clock& clock_;
  Owner& owner_;
  std::atomic<std::int64_t> deadline_ns_{kNoDeadline};  // written under mutex_
  std::mutex mutex_;
  Condition changed_;
  bool stops_ = false;
  Thread thread_;
};

}  // namespace tandem::kernel
