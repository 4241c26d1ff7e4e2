#include "drivers/vulkan/link/link_choice.h"

#include <condition_variable>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

constexpr LinkTask kEncode420{LinkDirection::kEncode, link::LinkEncoding::kYuv420};
constexpr LinkTask kDecodeTiles{LinkDirection::kDecode, link::LinkEncoding::kLossless};

// A judge that answers on the test's command.
class Court {
 public:
  LinkVerdict Judge(LinkTask task, const std::atomic<bool>& stop) {
    std::unique_lock<std::mutex> lock(mutex_);
    asked_.push_back(task);
    changed_.notify_all();
    while (answers_.empty() && !stop.load()) changed_.wait_for(lock, std::chrono::milliseconds(5));
    if (answers_.empty()) return {true, YuvPasses::kThree};
    const LinkVerdict answer = answers_.front();
    answers_.erase(answers_.begin());
    return answer;
  }
  void Answer(LinkVerdict verdict) {
    const std::lock_guard<std::mutex> lock(mutex_);
    answers_.push_back(verdict);
    changed_.notify_all();
  }
  std::vector<LinkTask> AwaitAsked(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (asked_.size() < count) changed_.wait(lock);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<LinkTask> asked_;
  std::vector<LinkVerdict> answers_;
};

LinkChoice::Judge JudgeOf(Court& court) {
  return [&court](LinkTask task, const std::atomic<bool>& stop) { return court.Judge(task, stop); };
}

LinkVerdict AwaitVerdict(LinkChoice& choice, LinkTask task) {
  for (;;) {
    if (const auto verdict = choice.Find(task)) return *verdict;
    std::this_thread::yield();
  }
}

TEST(LinkChoice, WhileTheTrialRuns_NobodyWaitsForIt) {
  Court court;
  LinkChoice choice(JudgeOf(court));
  EXPECT_FALSE(choice.Find(kEncode420).has_value());
  EXPECT_EQ(court.AwaitAsked(1)[0].encoding, link::LinkEncoding::kYuv420);
  // While the judge works without an answer, the processor encodes any number of frames.
  for (int frame = 0; frame < 1000; ++frame) EXPECT_FALSE(choice.Find(kEncode420).has_value());
  EXPECT_FALSE(choice.Find(kDecodeTiles).has_value());
  EXPECT_EQ(court.AwaitAsked(1).size(), 1U);
  court.Answer({true, YuvPasses::kThree});
  EXPECT_EQ(AwaitVerdict(choice, kEncode420), (LinkVerdict{true, YuvPasses::kThree}));
  const auto asked = court.AwaitAsked(2);
  EXPECT_EQ(asked[1].direction, LinkDirection::kDecode);
  court.Answer({});
  EXPECT_EQ(AwaitVerdict(choice, kDecodeTiles), LinkVerdict{});
  EXPECT_EQ(choice.Find(kEncode420), (LinkVerdict{true, YuvPasses::kThree}));
  EXPECT_EQ(court.AwaitAsked(2).size(), 2U) << "What is known is not judged again.";
}

TEST(LinkChoice, StoppedDuringATrial_EndsItAndBelievesNothingOfIt) {
  Court court;
  LinkChoice choice(JudgeOf(court));
  EXPECT_FALSE(choice.Find(kEncode420).has_value());
  EXPECT_FALSE(choice.Find(kDecodeTiles).has_value());
  court.AwaitAsked(1);
  choice.Stop();
  EXPECT_FALSE(choice.Find(kEncode420).has_value());
  EXPECT_FALSE(choice.Find({LinkDirection::kEncode, link::LinkEncoding::kBc1}).has_value());
  EXPECT_EQ(court.AwaitAsked(1).size(), 1U);
}

TEST(LinkVerdict, AsText_ComesBack) {
  for (const LinkVerdict verdict : {LinkVerdict{}, LinkVerdict{true, YuvPasses::kFused}, LinkVerdict{true, YuvPasses::kThree}})
    EXPECT_EQ(ParseLinkVerdict(ToString(verdict)), verdict);
  EXPECT_FALSE(ParseLinkVerdict("gpu").has_value());
}

}  // namespace
}  // namespace tandem::vulkan
