// A clock for tests: time stands still until the test moves it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>

#include "base/clock.h"

namespace tandem {

// Thread-safe. Must outlive every wait on it.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(std::int64_t start_ns) : now_ns_(start_ns) {}

  [[nodiscard]] std::int64_t NowNs() const override;
  bool WaitUntil(std::unique_lock<std::mutex>& lock, Condition& condition, std::int64_t deadline_ns) override;

  // Advances time by `duration_ns` (0 or more) and returns once every wait with a passed deadline has woken up. The caller must
  // not hold a lock that such a wait needs.
  void Advance(std::int64_t duration_ns);

  // Blocks until at least `count` threads wait on this clock. A test calls it before Advance, so that it knows who will wake.
  void AwaitWaiters(std::size_t count);
  // Blocks until a thread waits whose deadline lies within `duration_ns`; threads with later deadlines do not count.
  void AwaitWaiterWithin(std::int64_t duration_ns);

 private:
  struct Waiter {
    Condition* condition;
    std::int64_t deadline_ns;
  };

  [[nodiscard]] bool NotifyDueLocked();  // false when no waiter is due any more

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // a waiter came or left
  std::int64_t now_ns_;
  std::list<Waiter> waiters_;
};

}  // namespace tandem
