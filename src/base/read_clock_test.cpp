#include "base/read_clock.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace tandem {
namespace {

TEST(ReadClock, MonotonicClock_IsTheOneOfTheClock) {
  const std::int64_t before_ns = MonotonicClock().NowNs();
  const auto now_ns = ReadClock(CLOCK_MONOTONIC);
  ASSERT_TRUE(now_ns);
  EXPECT_LE(before_ns, *now_ns);
  EXPECT_LE(*now_ns, MonotonicClock().NowNs());
}

TEST(ReadClock, ClockThatDoesNotExist_IsEmpty) { EXPECT_FALSE(ReadClock(1000)); }

TEST(AheadOfMonotonic, SameClock_IsAheadByNoMoreThanTheReadingsTook) {
  const std::int64_t before_ns = MonotonicClock().NowNs();
  const auto ahead_ns = AheadOfMonotonicNs(CLOCK_MONOTONIC);
  const std::int64_t took_ns = MonotonicClock().NowNs() - before_ns;
  ASSERT_TRUE(ahead_ns);
  EXPECT_LE(std::abs(*ahead_ns), took_ns);
}

TEST(AheadOfMonotonic, ClockThatCountsSleepToo_IsNotBehind) {
  const std::int64_t before_ns = MonotonicClock().NowNs();
  const auto ahead_ns = AheadOfMonotonicNs(CLOCK_BOOTTIME);
  const std::int64_t took_ns = MonotonicClock().NowNs() - before_ns;
  ASSERT_TRUE(ahead_ns);
  EXPECT_GE(*ahead_ns, -took_ns);
}

TEST(AheadOfMonotonic, ClockThatDoesNotExist_IsEmpty) { EXPECT_FALSE(AheadOfMonotonicNs(1000)); }

}  // namespace
}  // namespace tandem
