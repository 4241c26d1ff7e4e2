#include "outputs/seen_times.h"

#include <gtest/gtest.h>

namespace tandem::outputs {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(SeenTimesTest, Frame_IsFoundByTheEndOfItsShow) {
  SeenTimes times;
  const std::uint64_t first = times.Begin();
  EXPECT_EQ(times.End(100), 100);
  const std::uint64_t second = times.Begin();
  EXPECT_EQ(times.End(200), 200);
  EXPECT_EQ(times.Find(100, 250).fate, Fate::kPending);
  times.Answer(second, {Fate::kReplaced, 0});
  times.Answer(first, {Fate::kSeen, 260});
  EXPECT_EQ(times.Find(100, 300).fate, Fate::kSeen);
  EXPECT_EQ(times.Find(100, 300).at_ns, 260);
  EXPECT_EQ(times.Find(200, 300).fate, Fate::kReplaced);
  EXPECT_EQ(times.Find(150, 300).fate, Fate::kUnknown);
  EXPECT_EQ(times.Find(0, 300).fate, Fate::kUnknown);
}

TEST(SeenTimesTest, AnswerWithinShow_Counts) {
  SeenTimes times;
  times.Answer(times.Begin(), {Fate::kSeen, 90});
  EXPECT_EQ(times.Find(0, 95).fate, Fate::kUnknown);
  EXPECT_EQ(times.End(100), 100);
  EXPECT_EQ(times.Find(100, 100).at_ns, 90);
}

TEST(SeenTimesTest, ShowThatSentNothing_HasNoName) {
  SeenTimes times;
  EXPECT_EQ(times.End(100), 0);
  times.Begin();
  EXPECT_EQ(times.End(200), 200);
  EXPECT_EQ(times.End(300), 0);
}

TEST(SeenTimesTest, FrameWithoutAnswer_IsUnknownAfterASecond) {
  SeenTimes times;
  const std::uint64_t frame = times.Begin();
  times.End(100);
  EXPECT_EQ(times.Find(100, 100 + kSecond).fate, Fate::kPending);
  EXPECT_EQ(times.Find(100, 101 + kSecond).fate, Fate::kUnknown);
  times.Answer(frame, {Fate::kSeen, 100 + 2 * kSecond});
  EXPECT_EQ(times.Find(100, 3 * kSecond).fate, Fate::kSeen);
}

TEST(SeenTimesTest, OldFrame_IsForgotten) {
  SeenTimes times;
  const std::uint64_t old = times.Begin();
  times.End(1);
  for (std::int64_t i = 2; i < 100; ++i) {
    times.Begin();
    times.End(i);
  }
  times.Answer(old, {Fate::kSeen, 5});
  EXPECT_EQ(times.Find(1, 100).fate, Fate::kUnknown);
  EXPECT_EQ(times.Find(99, 100).fate, Fate::kPending);
}

}  // namespace
}  // namespace tandem::outputs
