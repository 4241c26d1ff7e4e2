#include "base/condition.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/testing/ended_thread.h"
#include "base/testing/sanitizer.h"
#include "base/thread.h"

namespace tandem {
namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;

// Tokens that threads wait for and take.
class Tokens {
 public:
  void AddOne() {
    const MutexLock lock(mutex_);
    ++count_;
    changed_.NotifyOne();
  }
  void Add(int count) {
    const MutexLock lock(mutex_);
    count_ += count;
    changed_.NotifyAll();
  }
  void Take() {
    MutexLock lock(mutex_);
    while (count_ == 0) changed_.Wait(lock.native());
    --count_;
  }
  // False: the deadline has passed before.
  bool TakeUntil(std::int64_t deadline_ns) {
    MutexLock lock(mutex_);
    while (count_ == 0) {
      if (!MonotonicClock().WaitUntil(lock.native(), changed_, deadline_ns)) return false;
    }
    --count_;
    return true;
  }
  [[nodiscard]] bool IsUnlocked() {
    if (!mutex_.TryLock()) return false;
    mutex_.Unlock();
    return true;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  int count_ TANDEM_GUARDED_BY(mutex_) = 0;
};

TEST(Condition, NotifyAll_WakesEveryWaiter) {
  constexpr int kThreads = 4;
  Tokens tokens;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&] { tokens.Take(); });
  tokens.Add(kThreads);
  for (std::thread& thread : threads) thread.join();
}

TEST(Condition, ManyTurns_NoNotificationIsLost) {
  constexpr int kTurns = 20000;
  Tokens there;
  Tokens back;
  std::thread other([&] {
    for (int i = 0; i < kTurns; ++i) {
      there.Take();
      back.AddOne();
    }
  });
  for (int i = 0; i < kTurns; ++i) {
    there.AddOne();
    if (i % 2 == 0) {
      back.Take();
    } else {
      ASSERT_TRUE(back.TakeUntil(MonotonicClock().NowNs() + kMinuteNs));
    }
  }
  other.join();
}

TEST(Condition, ManyWaiters_NotifyOneForEach_AllTake) {
  constexpr int kThreads = 4;
  constexpr int kTakes = 2000;
  Tokens tokens;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int take = 0; take < kTakes; ++take) tokens.Take();
    });
  }
  for (int i = 0; i < kThreads * kTakes; ++i) tokens.AddOne();
  for (std::thread& thread : threads) thread.join();
}

TEST(Condition, DeadlineBeforeTimeBegan_ReturnsAtOnce) {
  Tokens tokens;
  EXPECT_FALSE(tokens.TakeUntil(-1));
}

TEST(Condition, WaitingThreadEnded_LockIsFreeAndOthersWake) {
  if (kUnderSanitizer) GTEST_SKIP() << "The sanitizer reports the end of a thread on another stack.";
  Tokens tokens;
  EndedThread waiting([&] { tokens.Take(); });
  EndedThread with_deadline([&] { tokens.TakeUntil(MonotonicClock().NowNs() + kMinuteNs); });
  waiting.AwaitSleep();
  with_deadline.AwaitSleep();
  std::thread survivor([&] { tokens.Take(); });
  waiting.End();
  with_deadline.End();
  EXPECT_TRUE(tokens.IsUnlocked());
  tokens.Add(2);
  survivor.join();
  EXPECT_TRUE(tokens.TakeUntil(0));
}

TEST(Thread, JoiningThreadEnded_AnotherJoins) {
  if (kUnderSanitizer) GTEST_SKIP() << "The sanitizer reports the end of a thread on another stack.";
  Tokens tokens;
  auto thread = Thread::Start("joined", [&] { tokens.Take(); });
  ASSERT_TRUE(thread.ok());
  EndedThread joining([&] { thread->Join(); });
  joining.AwaitSleep();
  joining.End();
  tokens.AddOne();
  thread->Join();
}

}  // namespace
}  // namespace tandem
