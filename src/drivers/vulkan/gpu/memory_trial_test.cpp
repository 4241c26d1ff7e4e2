#include "drivers/vulkan/gpu/memory_trial.h"

#include <string>

#include <gtest/gtest.h>

#include "drivers/vulkan/testing/test_gpu.h"

namespace tandem::vulkan::testing {
namespace {

TEST(OverlapTimes, Share_IsWhatTheShorterOneHides) {
  const auto share = [](std::int64_t out_ns, std::int64_t work_ns, std::int64_t both_ns) {
    return OverlapTimes{true, out_ns, work_ns, both_ns}.Share();
  };
  EXPECT_DOUBLE_EQ(share(1000, 1000, 1000), 1);
  EXPECT_DOUBLE_EQ(share(1000, 1000, 2000), 0);
  EXPECT_DOUBLE_EQ(share(1000, 400, 1200), 0.5);
  EXPECT_DOUBLE_EQ(share(1000, 1000, 2500), 0);
  EXPECT_DOUBLE_EQ(share(1000, 1000, 900), 1);
  EXPECT_DOUBLE_EQ(share(0, 1000, 1000), 0);
}

class MemoryTrialTest : public ::testing::TestWithParam<Driver> {};

TEST_P(MemoryTrialTest, OneQueue_HasTimesAndNothingBeside) {
  std::string why_not;
  const auto gpu = OpenGpu(GetParam(), why_not);
  if (gpu == nullptr) GTEST_SKIP() << why_not;
  const auto local = TimeLocalCopies(*gpu, MonotonicClock());
  ASSERT_TRUE(local.ok()) << local.error().message;
  EXPECT_GT(*local, 0U);
  const auto overlap = TimeOverlap(*gpu, MonotonicClock());
  ASSERT_TRUE(overlap.ok()) << overlap.error().message;
  EXPECT_FALSE(overlap->separate_queues);
  EXPECT_GT(overlap->out_ns, 0);
  EXPECT_GT(overlap->work_ns, 0);
  EXPECT_GT(overlap->both_ns, 0);
}

INSTANTIATE_TEST_SUITE_P(Drivers, MemoryTrialTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& p) { return NameOf(p.param); });

}  // namespace
}  // namespace tandem::vulkan::testing
