#include "layer/present_timings.h"

#include <array>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace tandem::layer {
namespace {

constexpr VkPresentStageFlagsEXT kAll = kTimedStages | VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_VISIBLE_BIT_EXT;

class NextSink final : public swapchain::FrameSink {
 public:
  void Report(const swapchain::FrameLine& line) override { numbers.push_back(line.number); }
  std::vector<std::uint64_t> numbers;
};

class Timings : public testing::Test {
 protected:
  VkResult Ask(std::uint64_t present_id, VkPresentStageFlagsEXT stages = kAll) {
    VkPresentTimingInfoEXT info{};
    info.targetTime = 10 * present_id;
    info.timeDomainId = 3;
    info.presentStageQueries = stages;
    return timings_.Ask(info, present_id);
  }
  void Present(std::uint64_t present_id, VkPresentStageFlagsEXT stages = kAll) {
    ASSERT_EQ(Ask(present_id, stages), VK_SUCCESS);
    timings_.Presented(true);
  }
  void Show(std::uint64_t number, std::int64_t shown_ns) {
    swapchain::FrameLine line;
    line.number = number;
    line.copied_ns = 100;
    line.flip_queued_ns = 200;
    line.shown_ns = shown_ns;
    timings_.Report(line);
  }
  VkResult Take(std::uint32_t room) {
    past_.presentationTimingCount = room;
    past_.pPresentationTimings = frames_.data();
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      frames_[i].presentStageCount = 4;
      frames_[i].pPresentStages = &stages_[4 * i];
    }
    return timings_.Take(past_, seen_at_);
  }

  NextSink next_;
  PresentTimings::SeenAt seen_at_ = [](std::int64_t) { return system::Seen{}; };
  PresentTimings timings_{&next_};
  VkPastPresentationTimingPropertiesEXT past_{};
  std::array<VkPastPresentationTimingEXT, 4> frames_{};
  std::array<VkPresentStageTimeEXT, 16> stages_{};
};

TEST_F(Timings, FrameThatWasShown_HasTheTimeOfEachStageThatWasAskedFor) {
  ASSERT_EQ(timings_.SetQueueSize(4), VK_SUCCESS);
  Present(7);
  Present(8, VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT);
  EXPECT_EQ(Take(4), VK_SUCCESS);
  EXPECT_EQ(past_.presentationTimingCount, 0U);
  Show(1, 300);
  Show(2, 400);
  EXPECT_EQ(Take(4), VK_SUCCESS);
  ASSERT_EQ(past_.presentationTimingCount, 2U);
  EXPECT_EQ(frames_[0].presentId, 7U);
  EXPECT_EQ(frames_[0].targetTime, 70U);
  EXPECT_EQ(frames_[0].timeDomain, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
  ASSERT_EQ(frames_[0].presentStageCount, 4U);
  constexpr std::array<std::uint64_t, 4> kTimes{100, 200, 300, 0};
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stages_[i].stage, 1U << i);
    EXPECT_EQ(stages_[i].time, kTimes[i]);
  }
  ASSERT_EQ(frames_[1].presentStageCount, 1U);
  EXPECT_EQ(stages_[4].stage, VkPresentStageFlagsEXT{VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT});
  EXPECT_EQ(stages_[4].time, 400U);
  EXPECT_EQ(next_.numbers, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(Timings, DisplaysOwnTime_StandsForTheAdapters) {
  ASSERT_EQ(timings_.SetQueueSize(4), VK_SUCCESS);
  std::map<std::int64_t, system::Seen> display{
      {300, {system::Fate::kSeen, 345}}, {400, {system::Fate::kPending, 0}}, {500, {system::Fate::kReplaced, 0}}};
  seen_at_ = [&display](std::int64_t shown_ns) { return display[shown_ns]; };
  for (const std::uint64_t number : {1U, 2U, 3U}) {
    Present(number, VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT);
    Show(number, 200 + 100 * static_cast<std::int64_t>(number));
  }
  Present(4, VK_PRESENT_STAGE_IMAGE_FIRST_PIXEL_OUT_BIT_EXT);
  Show(4, 600);  // of which the display knows nothing
  ASSERT_EQ(Take(4), VK_SUCCESS);
  ASSERT_EQ(past_.presentationTimingCount, 1U) << "The second frame's time is still to come.";
  EXPECT_EQ(stages_[0].time, 345U);
  display[400] = {system::Fate::kSeen, 445};
  ASSERT_EQ(Take(4), VK_SUCCESS);
  ASSERT_EQ(past_.presentationTimingCount, 3U);
  EXPECT_EQ(stages_[0].time, 445U);
  EXPECT_EQ(stages_[4].time, 0U);
  EXPECT_EQ(stages_[8].time, 600U);
}

TEST_F(Timings, FramesSeenAtOneWakeUp_HaveTimesInTheirOrder) {
  ASSERT_EQ(timings_.SetQueueSize(4), VK_SUCCESS);
  for (const std::uint64_t number : {1U, 2U, 3U}) {
    Present(number);
    Show(number, number == 2 ? 0 : 300);  // the second one was dropped
  }
  ASSERT_EQ(Take(4), VK_SUCCESS);
  ASSERT_EQ(past_.presentationTimingCount, 3U);
  constexpr std::array<std::uint64_t, 12> kTimes{100, 200, 300, 0, 101, 201, 0, 0, 102, 202, 301, 0};
  for (std::size_t i = 0; i < kTimes.size(); ++i) EXPECT_EQ(stages_[i].time, kTimes[i]) << i;
}

TEST_F(Timings, FullQueue_RefusesFramesUntilOneIsTaken) {
  ASSERT_EQ(timings_.SetQueueSize(2), VK_SUCCESS);
  Present(1);
  Present(2);
  EXPECT_EQ(Ask(3), VK_ERROR_PRESENT_TIMING_QUEUE_FULL_EXT);
  EXPECT_EQ(Ask(3, 0), VK_SUCCESS) << "It asks for no times.";
  timings_.Presented(true);
  EXPECT_EQ(timings_.SetQueueSize(1), VK_NOT_READY);
  Show(1, 300);
  EXPECT_EQ(Take(1), VK_SUCCESS);
  Present(4);
  Show(2, 400);
  Show(3, 500);
  Show(4, 600);
  EXPECT_EQ(Take(1), VK_INCOMPLETE);
  EXPECT_EQ(frames_[0].presentId, 2U);
  EXPECT_EQ(Take(4), VK_SUCCESS);
  ASSERT_EQ(past_.presentationTimingCount, 1U);
  EXPECT_EQ(frames_[0].presentId, 4U);
}

TEST_F(Timings, FrameThatTheSwapChainRefused_IsForgotten) {
  ASSERT_EQ(timings_.SetQueueSize(1), VK_SUCCESS);
  ASSERT_EQ(Ask(1), VK_SUCCESS);
  timings_.Presented(false);
  Present(2);
  Show(1, 300);
  EXPECT_EQ(Take(4), VK_SUCCESS);
  ASSERT_EQ(past_.presentationTimingCount, 1U);
  EXPECT_EQ(frames_[0].presentId, 2U);
}

TEST_F(Timings, LaterFrameIsCompleteFirst_KeepsTheOrder) {
  ASSERT_EQ(timings_.SetQueueSize(2), VK_SUCCESS);
  Present(1);
  Present(2);
  Show(2, 400);
  past_.pPresentationTimings = nullptr;
  EXPECT_EQ(timings_.Take(past_, seen_at_), VK_SUCCESS);
  EXPECT_EQ(past_.presentationTimingCount, 0U);
  Show(1, 0);
  EXPECT_EQ(timings_.Take(past_, seen_at_), VK_SUCCESS);
  EXPECT_EQ(past_.presentationTimingCount, 2U);
  EXPECT_EQ(Take(4), VK_SUCCESS);
  EXPECT_EQ(frames_[0].presentId, 1U);
  EXPECT_EQ(stages_[2].time, 0U) << "It was replaced.";
}

}  // namespace
}  // namespace tandem::layer
