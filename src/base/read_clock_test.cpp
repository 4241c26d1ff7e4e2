#include "base/read_clock.h"

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

}  // namespace
}  // namespace tandem
