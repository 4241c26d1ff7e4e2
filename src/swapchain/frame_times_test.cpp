// Frames that shall not be seen before a time.
#include <gtest/gtest.h>

#include "swapchain/frame_schedule.h"

namespace tandem::swapchain {
namespace {

constexpr std::int64_t kPeriod = 1600;

class FrameTimes : public testing::Test {
 protected:
  // A schedule whose first frame came to the screen at `kPeriod`.
  explicit FrameTimes(PresentMode mode = PresentMode::kFifo) : schedule_(DescOf(mode)) {
    Present(1, {});
    Flip(0);
    EXPECT_TRUE(schedule_.NextShown(1, kPeriod));
  }
  static ScheduleDesc DescOf(PresentMode mode) {
    ScheduleDesc desc;
    desc.mode = mode;
    desc.image_count = 6;
    desc.buffer_count = 6;
    desc.refresh_period_ns = kPeriod;
    return desc;
  }
  void Present(std::uint64_t id, const ShowAt& at) {
    const auto image = schedule_.Acquire();
    ASSERT_TRUE(image);
    ASSERT_TRUE(schedule_.QueueFrame(*image, id, 0, at).ok());
    while (const auto copy = schedule_.NextCopy()) schedule_.SlicesDone(copy->serial);
  }
  void Flip(std::int64_t now_ns) { ASSERT_TRUE(schedule_.NextFlip(now_ns)); }
  // The frame is flipped to from `at_ns` on, and not before.
  void ExpectFlipAt(std::int64_t at_ns) {
    EXPECT_FALSE(schedule_.NextFlip(at_ns - 1));
    EXPECT_EQ(schedule_.NextFlipNs(at_ns - 1), at_ns);
    EXPECT_FALSE(schedule_.NextFlipNs(at_ns));
    EXPECT_TRUE(schedule_.NextFlip(at_ns));
  }

  FrameSchedule schedule_;
};

TEST_F(FrameTimes, Absolute_IsTheFirstVerticalBlankThatIsNotEarlier) {
  Present(2, {.time_ns = 3 * kPeriod + 500});
  ExpectFlipAt(4 * kPeriod - kPeriod / 2);
}

TEST_F(FrameTimes, AbsoluteOnAVerticalBlank_IsThatOneThoughTimesAreNotExact) {
  Present(2, {.time_ns = 3 * kPeriod + 90});
  ExpectFlipAt(3 * kPeriod - kPeriod / 2);
}

TEST_F(FrameTimes, Nearest_MayBeEarlier) {
  Present(2, {.time_ns = 3 * kPeriod + 500, .nearest = true});
  ExpectFlipAt(3 * kPeriod - kPeriod / 2);
}

TEST_F(FrameTimes, InThePast_IsTheNextVerticalBlank) {
  Present(2, {.time_ns = 10});
  Flip(kPeriod + 1);
}

TEST_F(FrameTimes, Relative_CountsFromTheFrameBeforeOnceThatIsShown) {
  Present(2, {});
  Present(3, {.time_ns = 2 * kPeriod, .relative = true});
  Flip(kPeriod + 1);
  EXPECT_FALSE(schedule_.NextFlip(100 * kPeriod)) << "The frame before is not shown yet.";
  EXPECT_TRUE(schedule_.NextShown(2, 5 * kPeriod));
  ExpectFlipAt(7 * kPeriod - kPeriod / 2);
}

TEST_F(FrameTimes, VerticalBlanksOfTheDisplay_StandForTheAdapters) {
  EXPECT_EQ(schedule_.last_shown_ns(), kPeriod);
  schedule_.SeenLast(kPeriod + 700);
  EXPECT_FALSE(schedule_.last_shown_ns()) << "The display has answered.";
  Present(2, {.time_ns = 3 * kPeriod + 500});
  ExpectFlipAt(3 * kPeriod + 700 - kPeriod / 2);
  EXPECT_TRUE(schedule_.NextShown(2, 4 * kPeriod));
  EXPECT_EQ(schedule_.last_shown_ns(), 4 * kPeriod);
}

TEST_F(FrameTimes, Relative_CountsFromWhenTheDisplaySawTheFrameBefore) {
  Present(2, {.time_ns = 2 * kPeriod, .relative = true});
  EXPECT_EQ(schedule_.NextFlipNs(kPeriod + 1), 3 * kPeriod - kPeriod / 2);
  schedule_.SeenLast(kPeriod + 700);
  ExpectFlipAt(3 * kPeriod + 700 - kPeriod / 2);
}

TEST_F(FrameTimes, FramesBehind_WaitAsWell) {
  Present(2, {.time_ns = 5 * kPeriod});
  Present(3, {});
  EXPECT_FALSE(schedule_.NextFlip(2 * kPeriod));
  Flip(5 * kPeriod);
  EXPECT_EQ(schedule_.NextFlip(5 * kPeriod)->frame, 3U);
}

TEST(FrameTimesOfNone, NothingWasShown_TheTimeItselfCounts) {
  ScheduleDesc desc;
  desc.refresh_period_ns = kPeriod;
  FrameSchedule schedule(desc);
  ASSERT_TRUE(schedule.QueueFrame(*schedule.Acquire(), 1, 0, {.time_ns = 3 * kPeriod + 500}).ok());
  schedule.SlicesDone(schedule.NextCopy()->serial);
  EXPECT_EQ(schedule.NextFlipNs(0), 3 * kPeriod + 500 - kPeriod / 2);
}

class ImmediateFrameTimes : public FrameTimes {
 protected:
  ImmediateFrameTimes() : FrameTimes(PresentMode::kImmediate) {}
};

TEST_F(ImmediateFrameTimes, Flip_IsNotEarlierThanTheTime) {
  Present(2, {.time_ns = 3 * kPeriod});
  ExpectFlipAt(3 * kPeriod);
}

class LatestReadyFrameTimes : public FrameTimes {
 protected:
  LatestReadyFrameTimes() : FrameTimes(PresentMode::kFifoLatestReady) {}
};

TEST_F(LatestReadyFrameTimes, VerticalBlank_DropsFramesWhoseTimeHasComeAndKeepsTheOthers) {
  Present(2, {});
  Flip(kPeriod + 1);
  Present(3, {});
  Present(4, {.time_ns = 3 * kPeriod});
  Present(5, {.time_ns = 9 * kPeriod});
  EXPECT_EQ(schedule_.dropped(), 0U);
  EXPECT_TRUE(schedule_.NextShown(2, 2 * kPeriod));
  EXPECT_EQ(schedule_.dropped(), 1U) << "Frame 3, because frame 4 is due at the next blank.";
  EXPECT_EQ(schedule_.NextFlip(3 * kPeriod)->frame, 4U);
}

}  // namespace
}  // namespace tandem::swapchain
