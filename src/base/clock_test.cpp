#include "base/clock.h"

#include <atomic>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"

namespace tandem {
namespace {

TEST(MonotonicClock, Now_IsTheSystemsMonotonicClock) {
  timespec before{};
  clock_gettime(CLOCK_MONOTONIC, &before);
  const std::int64_t now_ns = MonotonicClock().NowNs();
  EXPECT_GE(now_ns, before.tv_sec * 1'000'000'000 + before.tv_nsec);
  EXPECT_LE(now_ns, MonotonicClock().NowNs());
}

TEST(MonotonicClock, DeadlinePasses_ReturnsFalseNotBefore) {
  std::mutex mutex;
  Condition condition;
  std::unique_lock lock(mutex);
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + 2'000'000;
  while (MonotonicClock().WaitUntil(lock, condition, deadline_ns)) {
  }
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_GE(MonotonicClock().NowNs(), deadline_ns);
}

TEST(MonotonicClock, NotifiedWithoutDeadline_ReturnsTrue) {
  std::mutex mutex;
  Condition condition;
  bool ready = false;
  std::thread notifier([&] {
    const std::lock_guard guard(mutex);
    ready = true;
    condition.NotifyAll();
  });
  bool in_time = true;
  {
    std::unique_lock lock(mutex);
    while (!ready) in_time = MonotonicClock().WaitUntil(lock, condition, kNoDeadline) && in_time;
  }
  notifier.join();
  EXPECT_TRUE(in_time);
}

TEST(FakeClock, Advance_MovesTimeByThatMuch) {
  FakeClock clock(1000);
  EXPECT_EQ(clock.NowNs(), 1000);
  clock.Advance(234);
  EXPECT_EQ(clock.NowNs(), 1234);
}

TEST(FakeClock, AwaitWaiterWithin_OneThatWaitsForLongerIsNotMeant) {
  FakeClock clock(1000);
  std::mutex mutex;
  Condition condition;
  std::atomic<int> woken{0};
  const auto wait_until = [&](std::int64_t deadline_ns) {
    std::unique_lock lock(mutex);
    while (clock.WaitUntil(lock, condition, deadline_ns)) {
    }
    ++woken;
  };
  std::thread late([&] { wait_until(5000); });
  clock.AwaitWaiters(1);
  std::thread soon([&] { wait_until(1100); });
  clock.AwaitWaiterWithin(100);
  clock.Advance(100);
  soon.join();
  EXPECT_EQ(woken, 1);
  clock.AwaitWaiterWithin(3900);
  clock.Advance(3900);
  late.join();
}

TEST(FakeClock, DeadlineInThePast_DoesNotWait) {
  FakeClock clock(1000);
  std::mutex mutex;
  Condition condition;
  std::unique_lock lock(mutex);
  EXPECT_FALSE(clock.WaitUntil(lock, condition, 1000));
}

// A thread that waits until its deadline by the clock and records its return.
class Sleeper {
 public:
  Sleeper(FakeClock& clock, std::int64_t deadline_ns)
      : thread_([this, &clock, deadline_ns] {
          std::unique_lock lock(mutex_);
          while (!released_ && clock.WaitUntil(lock, condition_, deadline_ns)) {
          }
          done_ = true;
        }) {}
  ~Sleeper() { Join(); }

  void Release() {
    const std::lock_guard guard(mutex_);
    released_ = true;
    condition_.NotifyAll();
  }
  void Join() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] bool done() const { return done_; }

 private:
  std::mutex mutex_;
  Condition condition_;
  bool released_ = false;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST(FakeClock, Advance_WakesThoseWhoseDeadlineCame) {
  FakeClock clock(0);
  Sleeper early(clock, 100);
  Sleeper late(clock, 200);
  clock.AwaitWaiters(2);
  clock.Advance(100);
  early.Join();
  EXPECT_TRUE(early.done());
  clock.AwaitWaiters(1);
  EXPECT_FALSE(late.done());
  clock.Advance(100);
  late.Join();
  EXPECT_TRUE(late.done());
}

TEST(FakeClock, NotifiedBeforeDeadline_WakesWithoutTime) {
  FakeClock clock(0);
  Sleeper sleeper(clock, kNoDeadline);
  clock.AwaitWaiters(1);
  sleeper.Release();
  sleeper.Join();
  EXPECT_TRUE(sleeper.done());
  EXPECT_EQ(clock.NowNs(), 0);
}

// Registration and sleep are two steps; no wake-up may fall between them.
TEST(FakeClock, AdvanceRacesWithWait_NoWakeUpIsLost) {
  for (int i = 0; i < 200; ++i) {
    FakeClock clock(0);
    Sleeper sleeper(clock, 10);
    if (i % 2 == 0) clock.AwaitWaiters(1);
    clock.Advance(10);
    sleeper.Join();
    EXPECT_TRUE(sleeper.done());
  }
}

}  // namespace
}  // namespace tandem
