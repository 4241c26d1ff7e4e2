#include "base/sleep.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"

namespace tandem {
namespace {

TEST(SleepFor, UntilTheTimeHasCome_Blocks) {
  FakeClock clock(100);
  std::atomic<bool> awake{false};
  std::thread sleeper([&] {
    SleepFor(clock, 50);
    awake = true;
  });
  clock.AwaitWaiters(1);
  clock.Advance(49);
  clock.AwaitWaiters(1);
  EXPECT_FALSE(awake);
  clock.Advance(1);
  sleeper.join();
}

TEST(SleepFor, NoTime_ReturnsAtOnce) {
  FakeClock clock(100);
  SleepFor(clock, 0);
  SleepFor(clock, -5);
}

}  // namespace
}  // namespace tandem
