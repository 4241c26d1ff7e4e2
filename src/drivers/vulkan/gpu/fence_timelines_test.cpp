// Timelines made of fences, on a device that could have real ones.
#include "drivers/vulkan/gpu/fence_timelines.h"

#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/testing/test_gpu.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kFencePatienceNs = 20'000'000'000;

class FenceTimelinesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    gpu_ = testing::OpenGpu(testing::Driver::kLavapipe, why_not);
    if (gpu_ == nullptr) GTEST_SKIP() << why_not;
    auto made = FenceTimelines::Create(gpu_->vk(), gpu_->device(), queue().family);
    ASSERT_TRUE(made.ok()) << made.error().message;
    timelines_ = *std::move(made);
    timeline_ = timelines_->MakeTimeline();
  }
  void TearDown() override {
    if (gpu_ != nullptr) gpu_->vk().DeviceWaitIdle(gpu_->device());
    timelines_.reset();
  }
  const Gpu::Queue& queue() { return gpu_->queue(kRenderNode); }
  VkResult Submit(VkSemaphore timeline, std::uint64_t value, const TimelinePoint& wait) {
    SubmitArrays arrays({wait});
    const VkSubmitInfo info = arrays.Info(timeline, value, VK_NULL_HANDLE);
    const std::lock_guard<std::mutex> lock(gpu_->LockOf(queue().handle));
    return timelines_->Submit(queue().handle, info, VK_NULL_HANDLE);
  }
  std::uint64_t ValueOf(VkSemaphore timeline) {
    std::uint64_t value = 0;
    EXPECT_EQ(timelines_->Read(timeline, value), VK_SUCCESS);
    return value;
  }

  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<FenceTimelines> timelines_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
};

TEST_F(FenceTimelinesTest, Submissions_ReachTheirValues) {
  EXPECT_EQ(ValueOf(timeline_), 0U);
  EXPECT_EQ(timelines_->Wait(timeline_, 1, 0), VK_TIMEOUT);
  ASSERT_EQ(Submit(timeline_, 1, {}), VK_SUCCESS);
  ASSERT_EQ(Submit(timeline_, 5, {timeline_, 1}), VK_SUCCESS);
  EXPECT_EQ(timelines_->Wait(timeline_, 4, kFencePatienceNs), VK_SUCCESS);
  EXPECT_EQ(ValueOf(timeline_), 5U);
  EXPECT_EQ(timelines_->Wait(timeline_, 6, 1000), VK_TIMEOUT);
}

TEST_F(FenceTimelinesTest, WaitThatCameFirst_EndsWithTheSubmissionOrTheSignal) {
  const VkSemaphore other = timelines_->MakeTimeline();
  VkResult submitted = VK_NOT_READY;
  VkResult signalled = VK_NOT_READY;
  std::thread first([&] { submitted = timelines_->Wait(timeline_, 1, kFencePatienceNs); });
  std::thread second([&] { signalled = timelines_->Wait(other, 7, kFencePatienceNs); });
  EXPECT_EQ(Submit(timeline_, 1, {}), VK_SUCCESS);
  timelines_->Signal(other, 7);
  first.join();
  second.join();
  EXPECT_EQ(submitted, VK_SUCCESS);
  EXPECT_EQ(signalled, VK_SUCCESS);
}

TEST_F(FenceTimelinesTest, MoreSubmissionsThanFences_AllEnd) {
  constexpr std::uint64_t kMany = 3 * FenceTimelines::kMaxPending + 5;
  for (std::uint64_t value = 1; value <= kMany; ++value) ASSERT_EQ(Submit(timeline_, value, {timeline_, value - 1}), VK_SUCCESS);
  EXPECT_EQ(timelines_->Wait(timeline_, kMany, kFencePatienceNs), VK_SUCCESS);
  EXPECT_EQ(ValueOf(timeline_), kMany);
}

TEST_F(FenceTimelinesTest, WaitForWhatNobodySubmits_LosesTheSubmission) {
  EXPECT_EQ(Submit(timeline_, 1, {timelines_->MakeTimeline(), 3}), VK_ERROR_DEVICE_LOST);
}

TEST_F(FenceTimelinesTest, DestroyedTimeline_LeavesOthersAlone) {
  const VkSemaphore other = timelines_->MakeTimeline();
  ASSERT_EQ(Submit(other, 1, {}), VK_SUCCESS);
  EXPECT_TRUE(timelines_->Destroy(other));
  EXPECT_FALSE(timelines_->Destroy(other));
  VkSemaphore real = VK_NULL_HANDLE;
  ASSERT_EQ(gpu_->CreateTimeline(real), VK_SUCCESS);
  EXPECT_FALSE(timelines_->Destroy(real));
  gpu_->Destroy(real);
  ASSERT_EQ(Submit(timeline_, 1, {}), VK_SUCCESS);
  EXPECT_EQ(timelines_->Wait(timeline_, 1, kFencePatienceNs), VK_SUCCESS);
}

}  // namespace
}  // namespace tandem::vulkan
