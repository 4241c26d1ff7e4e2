#include "outputs/x11/present_time.h"

#include <gtest/gtest.h>

namespace tandem::outputs {
namespace {

constexpr std::int64_t kPeriodNs = 16'000'000;
constexpr std::uint64_t kPeriodUs = 16'000;
constexpr std::int64_t kGuessNs = 10'000'000;

// Answers `frames` images, one for each vertical blank.
void AnswerImages(PresentTime& time, std::uint64_t first_msc, std::uint64_t frames) {
  for (std::uint64_t msc = first_msc; msc < first_msc + frames; ++msc) {
    time.Asked(0);
    time.ImageCompleted(0, msc * kPeriodUs, msc, static_cast<std::int64_t>(msc * kPeriodUs) * 1000 + 5);
  }
}

TEST(PresentTimeTest, CounterThatRises_KeepsTimeAndGivesThePeriod) {
  PresentTime time(kGuessNs);
  AnswerImages(time, 100, 1);
  EXPECT_FALSE(time.keeps_time());
  AnswerImages(time, 101, 1);
  EXPECT_TRUE(time.keeps_time());
  EXPECT_EQ(time.last_beat().at_ns, 101 * kPeriodNs);
  EXPECT_EQ(time.last_beat().period_ns, kGuessNs);
  AnswerImages(time, 102, 20);
  EXPECT_EQ(time.last_beat().period_ns, kPeriodNs);
  EXPECT_EQ(time.report().seen, 22u);
}

TEST(PresentTimeTest, BeatIsAwaited_UntilTheNewestFrameIsAnsweredFor) {
  PresentTime time(kGuessNs);
  time.Asked(0);
  time.Asked(0);
  EXPECT_TRUE(time.last_beat().awaited);
  time.ImageCompleted(1, 0, 5, 1);
  EXPECT_TRUE(time.last_beat().awaited);
  time.ImageCompleted(0, 0, 5, 2);
  EXPECT_FALSE(time.last_beat().awaited);
  EXPECT_EQ(time.report().seen, 1u);
  EXPECT_EQ(time.report().replaced, 1u);
}

TEST(PresentTimeTest, AnswerThatIsLost_EndsNoWaitAndStaysPending) {
  PresentTime time(kGuessNs);
  for (int i = 0; i < 3; ++i) time.Asked(0);
  time.ImageCompleted(0, 0, 5, 2);
  EXPECT_TRUE(time.idle());
  EXPECT_EQ(time.report().pending, 2u);
}

TEST(PresentTimeTest, CounterThatStandsStill_KeepsNoTime) {
  PresentTime time(kGuessNs);
  for (std::int64_t now_ns = 1; now_ns < 300'000'000; now_ns += kPeriodNs) {
    time.Asked(now_ns);
    time.ImageCompleted(0, static_cast<std::uint64_t>(now_ns / 1000), 0, now_ns);
    EXPECT_FALSE(time.keeps_time());
  }
  EXPECT_TRUE(time.stands_still());
  EXPECT_FALSE(time.report().reports);
}

TEST(PresentTimeTest, TimeStampOfAnotherClock_IsReplacedByTheArrival) {
  for (const std::uint64_t ust : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 62}) {
    PresentTime time(kGuessNs);
    for (std::uint64_t msc = 1; msc <= 40; ++msc)
      time.ImageCompleted(0, ust, msc, static_cast<std::int64_t>(msc) * 10'000'000'000);
    EXPECT_EQ(time.last_beat().at_ns, 400'000'000'000);
    EXPECT_EQ(time.last_beat().period_ns, kGuessNs);
  }
}

TEST(PresentTimeTest, CounterThatGoesBack_IsCountedFromThere) {
  PresentTime time(kGuessNs);
  AnswerImages(time, 1000, 20);
  AnswerImages(time, 1, 40);
  EXPECT_TRUE(time.keeps_time());
  EXPECT_EQ(time.report().seen, 60u);
}

TEST(PresentTimeTest, ImagesBeyondTheMostQuestions_CountAsReplacedUntilAnswersStayAway) {
  PresentTime time(kGuessNs);
  std::uint64_t asked = 0;
  for (int i = 0; i < 100; ++i) {
    if (!time.AsksForImage(1)) continue;
    time.Asked(1);
    ++asked;
  }
  EXPECT_LT(asked, 100u);
  EXPECT_EQ(time.report().replaced, 100 - asked);
  EXPECT_EQ(time.report().pending, asked);
  EXPECT_TRUE(time.AsksForImage(2'000'000'000));
}

TEST(PresentTimeTest, PixmapsFates_AreReportedWithoutACounter) {
  PresentTime time(kGuessNs);
  for (int i = 0; i < 40; ++i) {
    time.Asked(i);
    time.PixmapCompleted(i % 4 == 0 ? PresentMode::kReplaced : PresentMode::kSeen, 0, 0, 0, i * kPeriodNs);
  }
  EXPECT_FALSE(time.keeps_time());
  EXPECT_EQ(time.report().seen, 30u);
  EXPECT_EQ(time.report().replaced, 10u);
}

}  // namespace
}  // namespace tandem::outputs
