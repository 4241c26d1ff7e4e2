// Every presented frame is shown whole and in order.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::AcquireWhen;
using swapchain::Path;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

SwapChainDesc DrawnDesc(std::uint32_t width, std::uint32_t height, PathRequest path, PresentMode mode) {
  SwapChainDesc desc;
  desc.width = width;
  desc.height = height;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = path;
  desc.present_mode = mode;
  desc.wait_for_copy_on_acquire = AcquireWhen::kCopyComplete;
  return desc;
}

std::vector<std::uint32_t> Range(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

std::uint64_t CopiesOf(PathRequest path) { return path == PathRequest::kDirect ? 0 : path == PathRequest::kOneCopy ? 1 : 2; }

TEST(SwapChainFrames, EachPathFormatAndSize_EveryFrameArrivesWhole) {
  struct Size {
    std::uint32_t width, height;
  };
  constexpr std::uint32_t kFrames = 8;
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    const auto pair = SoftPair::Create({});
    ASSERT_TRUE(pair);
    std::uint32_t next = 1;
    for (const DXGI_FORMAT format :
         {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, DXGI_FORMAT_B8G8R8X8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM,
          DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT}) {
      for (const auto& [width, height] : {Size{1, 1}, Size{17, 13}, Size{333, 251}, Size{64, 1}, Size{1, 64}}) {
        SwapChainDesc desc = DrawnDesc(width, height, path, PresentMode::kImmediate);
        desc.format = format;
        SCOPED_TRACE(std::string(ToString(path)) + " " + std::to_string(format) + " " + std::to_string(width) + "x" +
                     std::to_string(height));
        ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, desc, next, kFrames));
        next += kFrames;
        EXPECT_EQ(pair->output().last_width(), width);
      }
    }
    EXPECT_EQ(pair->output().Numbers(), Range(1, next - 1));
  }
}

TEST(SwapChainFrames, Fifo_EveryFrameArrivesAndCountsAgree) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kFifoRelaxed}) {
      SCOPED_TRACE(std::string(ToString(path)) + " " + std::string(ToString(mode)));
      const auto pair = SoftPair::Create({});
      ASSERT_TRUE(pair);
      const SwapChainDesc desc = DrawnDesc(64, 48, path, mode);
      auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
      ASSERT_TRUE(chain.ok()) << chain.error().message;
      const TestApplication application(pair->render(), **chain, desc);
      ASSERT_TRUE(PresentFrames(**chain, application, 1, 100).ok());
      ASSERT_TRUE((*chain)->WaitForPresent(100, kPatienceNs).ok());
      EXPECT_EQ(pair->output().Numbers(), Range(1, 100));
      const auto statistics = (*chain)->statistics();
      EXPECT_EQ(statistics.frames_presented, 100U);
      EXPECT_EQ(statistics.frames_shown, 100U);
      EXPECT_EQ(statistics.frames_dropped, 0U);
      EXPECT_EQ(statistics.full_frame_copies, 100 * CopiesOf(path));
      EXPECT_EQ(statistics.bytes_moved, 100 * CopiesOf(path) * 64 * 48 * 4);
      EXPECT_GT(statistics.latency_p50_ns, 0);
      EXPECT_GE(statistics.latency_p99_ns, statistics.latency_p50_ns);
    }
  }
}

TEST(SwapChainFrames, Fifo_ShowsOneFrameForEachBlank) {
  const auto pair = SoftPair::Create({3, 3, 5'000'000});
  ASSERT_TRUE(pair);
  const std::int64_t start_ns = MonotonicClock().NowNs();
  ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, DrawnDesc(32, 32, PathRequest::kOneCopy, PresentMode::kFifo), 1, 41));
  EXPECT_GE(MonotonicClock().NowNs() - start_ns, 39 * 5'000'000LL);
}

// Three frames 10 ms apart have two intervals, whatever time passes before the first and after the last.
TEST(SwapChainFrames, ShownTime_IsFromTheFirstFrameToTheLast) {
  constexpr std::int64_t kIntervalNs = 10'000'000;
  FakeClock clock{1'000'000'000};
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  const SwapChainDesc desc = DrawnDesc(32, 32, PathRequest::kOneCopy, PresentMode::kImmediate);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, clock);
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc);
  for (std::uint32_t frame = 1; frame <= 3; ++frame) {
    clock.Advance(kIntervalNs);
    ASSERT_TRUE(PresentFrames(**chain, application, frame, 1).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(frame, kNoDeadline).ok());
  }
  clock.Advance(kIntervalNs);
  EXPECT_EQ((*chain)->statistics().shown_ns, 2 * kIntervalNs);
}

TEST(SwapChainFrames, Immediate_ThousandsOfFramesAllArrive) {
  constexpr std::uint32_t kFrames = 1000;
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    SCOPED_TRACE(ToString(path));
    const auto pair = SoftPair::Create({});
    ASSERT_TRUE(pair);
    ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, DrawnDesc(40, 30, path, PresentMode::kImmediate), 1, kFrames));
    EXPECT_EQ(pair->output().Numbers(), Range(1, kFrames));
  }
}

TEST(SwapChainFrames, Mailbox_DropsOldFramesAndShowsTheLast) {
  constexpr std::uint32_t kFrames = 2000;
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    SCOPED_TRACE(ToString(path));
    const auto pair = SoftPair::Create({});
    ASSERT_TRUE(pair);
    const SwapChainDesc desc = DrawnDesc(40, 30, path, PresentMode::kMailbox);
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    const TestApplication application(pair->render(), **chain, desc);
    ASSERT_TRUE(PresentFrames(**chain, application, 1, kFrames).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(kFrames, kPatienceNs).ok());
    const auto numbers = pair->output().Numbers();
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
    ASSERT_FALSE(numbers.empty());
    EXPECT_EQ(numbers.back(), kFrames);
    const auto statistics = (*chain)->statistics();
    EXPECT_EQ(statistics.frames_shown + statistics.frames_dropped, kFrames);
    EXPECT_EQ(statistics.frames_shown, numbers.size());
    EXPECT_GT(statistics.frames_dropped, 0U);
  }
}

TEST(SwapChainFrames, Resize_OldChainRetiredFirst_NoFrameIsLost) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  std::unique_ptr<SwapChain> old;
  std::uint32_t next = 1;
  for (int i = 0; i < 20; ++i) {
    const auto width = static_cast<std::uint32_t>(31 + 7 * i);
    const SwapChainDesc desc =
        DrawnDesc(width, 40, i % 2 == 0 ? PathRequest::kOneCopy : PathRequest::kDirect, PresentMode::kFifo);
    if (old) old->Retire();
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    old.reset();
    {
      const TestApplication application(pair->render(), **chain, desc);
      ASSERT_TRUE(PresentFrames(**chain, application, next, 5).ok());
    }
    next += 5;
    old = *std::move(chain);
  }
  old->Retire();
  EXPECT_EQ(old->Acquire(0).error().kind, ErrorKind::kOutOfDate);
  EXPECT_EQ(pair->output().Numbers(), Range(1, next - 1));
}

TEST(SwapChainFrames, Auto_TakesTheBestPathOfTheTiers) {
  struct Case {
    std::uint32_t render_tier, display_tier;
    Path path;
  };
  for (const auto& [render_tier, display_tier, path] :
       {Case{3, 3, Path::kDirect}, Case{1, 3, Path::kOneCopy}, Case{3, 1, Path::kTwoCopy}, Case{1, 1, Path::kTwoCopy}}) {
    const auto pair = SoftPair::Create({render_tier, display_tier, 2'000'000});
    ASSERT_TRUE(pair);
    const SwapChainDesc desc = DrawnDesc(33, 21, PathRequest::kAuto, PresentMode::kImmediate);
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    EXPECT_EQ((*chain)->decision().path, path) << render_tier << " " << display_tier;
    const TestApplication application(pair->render(), **chain, desc);
    ASSERT_TRUE(PresentFrames(**chain, application, 1, 10).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(10, kPatienceNs).ok());
    EXPECT_EQ(pair->output().Numbers(), Range(1, 10));
  }
}

// The third question of the decision: the cap and CreateResource accepted the path.
TEST(SwapChainFrames, Auto_DisplayWithoutTheBandwidth_CopiesTwiceAndSaysWhy) {
  constexpr std::uint64_t kFrameBytes = 64 * 32 * 4;
  for (const bool enough : {true, false}) {
    const auto pair = SoftPair::Create({3, 3, 2'000'000, kFrameBytes * 500 - (enough ? 0 : 1)});
    ASSERT_TRUE(pair);
    const SwapChainDesc desc = DrawnDesc(64, 32, PathRequest::kAuto, PresentMode::kImmediate);
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    EXPECT_EQ((*chain)->decision().path, enough ? Path::kDirect : Path::kTwoCopy);
    if (!enough) {
      ASSERT_EQ((*chain)->decision().refused.size(), 2u);
      EXPECT_NE((*chain)->decision().refused[1].find("StaticCheck"), std::string::npos) << (*chain)->decision().refused[1];
    }
    const TestApplication application(pair->render(), **chain, desc);
    ASSERT_TRUE(PresentFrames(**chain, application, 1, 10).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(10, kPatienceNs).ok());
    EXPECT_EQ(pair->output().Numbers(), Range(1, 10));
  }
}

}  // namespace
}  // namespace tandem::swapchain_test
