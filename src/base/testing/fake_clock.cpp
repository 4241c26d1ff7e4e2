#include "base/testing/fake_clock.h"

#include <algorithm>
#include <chrono>

#include "base/check.h"

namespace tandem {

std::int64_t FakeClock::NowNs() const {
  const std::lock_guard guard(mutex_);
  return now_ns_;
}

bool FakeClock::WaitUntil(std::unique_lock<std::mutex>& lock, Condition& condition, std::int64_t deadline_ns) {
  std::list<Waiter>::iterator self;
  {
    const std::lock_guard guard(mutex_);
    if (now_ns_ >= deadline_ns) return false;
    self = waiters_.insert(waiters_.end(), Waiter{&condition, deadline_ns});
    changed_.notify_all();
  }
  condition.Wait(lock);
  const std::lock_guard guard(mutex_);
  waiters_.erase(self);
  changed_.notify_all();
  return now_ns_ < deadline_ns;
}

void FakeClock::Advance(std::int64_t duration_ns) {
  TANDEM_CHECK(duration_ns >= 0);
  std::unique_lock guard(mutex_);
  now_ns_ += duration_ns;
  // A registered waiter may not sleep yet, and its mutex cannot be taken under ours, so a notification can be lost. The loop
  // repeats it until the waiter is gone. A registered waiter's condition is alive.
  while (NotifyDueLocked()) changed_.wait_for(guard, std::chrono::microseconds(100));
}

bool FakeClock::NotifyDueLocked() {
  bool any_due = false;
  for (const Waiter& waiter : waiters_) {
    if (waiter.deadline_ns > now_ns_) continue;
    any_due = true;
    waiter.condition->NotifyAll();
  }
  return any_due;
}

void FakeClock::AwaitWaiters(std::size_t count) {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return waiters_.size() >= count; });
}

void FakeClock::AwaitWaiterWithin(std::int64_t duration_ns) {
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] {
    return std::any_of(waiters_.begin(), waiters_.end(),
                       [&](const Waiter& waiter) { return waiter.deadline_ns - now_ns_ <= duration_ns; });
  });
}

}  // namespace tandem
