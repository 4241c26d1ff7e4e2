#include "base/latency.h"

#include <limits>

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(LatencyHistogram, Empty_IsZero) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.max_ns(), 0);
  EXPECT_EQ(histogram.PercentileNs(0.5), 0);
}

TEST(LatencyHistogram, SmallDurations_AreExact) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 31; ++i) histogram.Record(i);
  EXPECT_EQ(histogram.count(), 31U);
  EXPECT_EQ(histogram.PercentileNs(0.0), 1);
  EXPECT_EQ(histogram.PercentileNs(0.5), 16);
  EXPECT_EQ(histogram.PercentileNs(1.0), 31);
}

TEST(LatencyHistogram, LargeDurations_AreAtMostOne32ndTooHigh) {
  for (std::int64_t duration = 33; duration < (std::int64_t{1} << 61); duration = duration * 3 / 2 + 1) {
    LatencyHistogram histogram;
    histogram.Record(duration);
    histogram.Record(std::numeric_limits<std::int64_t>::max());  // so that max_ns does not cap the answer
    const std::int64_t median = histogram.PercentileNs(0.5);
    EXPECT_GE(median, duration);
    EXPECT_LE(median - duration, duration / 32);
  }
}

TEST(LatencyHistogram, OneInAHundredIsSlow_ShowsAboveTheP99) {
  LatencyHistogram histogram;
  for (int i = 0; i < 990; ++i) histogram.Record(1'000'000);
  for (int i = 0; i < 10; ++i) histogram.Record(50'000'000);
  EXPECT_NEAR(static_cast<double>(histogram.PercentileNs(0.50)), 1e6, 1e6 / 32);
  EXPECT_NEAR(static_cast<double>(histogram.PercentileNs(0.99)), 1e6, 1e6 / 32);
  EXPECT_EQ(histogram.PercentileNs(0.991), 50'000'000);
  EXPECT_EQ(histogram.max_ns(), 50'000'000);
}

TEST(LatencyHistogram, Extremes_FindTheirBucket) {
  LatencyHistogram histogram;
  histogram.Record(std::numeric_limits<std::int64_t>::max());
  histogram.Record(-5);
  EXPECT_EQ(histogram.PercentileNs(0.5), 0);
  EXPECT_EQ(histogram.PercentileNs(1.0), std::numeric_limits<std::int64_t>::max());
}

TEST(LatencyHistogram, Reset_ForgetsEverything) {
  LatencyHistogram histogram;
  histogram.Record(1000);
  histogram.Reset();
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.PercentileNs(1.0), 0);
}

}  // namespace
}  // namespace tandem
