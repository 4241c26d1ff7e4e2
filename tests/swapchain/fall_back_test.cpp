// Frames that the display adapter temporarily cannot scan out are composed, and scanned out again later. Each frame is whole,
// in order and seen once.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/swapchain/other_screen.h"
#include "tests/swapchain/refusing_umd.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::ResourceDesc;
using swapchain::Sharing;
using swapchain::ShownBy;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::uint32_t kWidth = 64, kHeight = 48;

SwapChainDesc FallBackDesc(PathRequest path, PresentMode mode) {
  SwapChainDesc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = path;
  desc.present_mode = mode;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  return desc;
}

ResourceDesc Primary(std::uint32_t width, std::uint32_t height, Sharing sharing, std::uint32_t source) {
  ResourceDesc surface;
  surface.width = width;
  surface.height = height;
  surface.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  surface.bind_flags = D3D10_DDI_BIND_PRESENT;
  surface.sharing = sharing;
  surface.primary = true;
  surface.vidpn_source = source;
  return surface;
}

// The application's frames in the order in which they were seen.
std::vector<std::uint32_t> FramesSeen(SoftPair& pair) {
  std::vector<std::uint32_t> numbers = pair.output().Numbers();
  std::erase_if(numbers,
                [](std::uint32_t number) { return number >= OtherScreen::kFirstNumber && number != ReadingOutput::kBroken; });
  return numbers;
}

std::vector<std::uint32_t> Range(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

TEST(SwapChainFallBack, OutputTurned_FramesAreComposedWithThePathUntilItIsTurnedBack) {
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy}) {
    SCOPED_TRACE(ToString(path));
    const auto pair = SoftPair::Create({});
    ASSERT_TRUE(pair);
    const SwapChainDesc desc = FallBackDesc(path, PresentMode::kFifo);
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    OtherScreen settings(*pair, Primary(kWidth, kHeight, Sharing::kPrivate, 0));
    const TestApplication application(pair->render(), **chain, desc);
    const auto show = [&](std::uint32_t first) {
      ASSERT_TRUE(PresentFrames(**chain, application, first, 20).ok());
      ASSERT_TRUE((*chain)->WaitForPresent(first + 19, kPatienceNs).ok());
    };
    ASSERT_NO_FATAL_FAILURE(show(1));
    EXPECT_TRUE((*chain)->events().empty());
    pair->output().Turn(Turned::k180);
    settings.Paint(OtherScreen::kFirstNumber, Turned::k180, 0);
    settings.SetMode(D3DDDI_ROTATION_180);
    ASSERT_NO_FATAL_FAILURE(show(21));
    pair->output().Turn(Turned::kNot);
    settings.Paint(OtherScreen::kFirstNumber, Turned::kNot, 0);
    settings.SetMode(D3DDDI_ROTATION_IDENTITY);
    ASSERT_NO_FATAL_FAILURE(show(41));
    EXPECT_EQ(FramesSeen(*pair), Range(1, 60));
    const auto statistics = (*chain)->statistics();
    EXPECT_EQ(statistics.frames_shown, 60u);
    EXPECT_EQ(statistics.frames_composed, 20u);
    EXPECT_EQ(statistics.full_frame_copies, 20u + (path == PathRequest::kOneCopy ? 60u : 0u));
    const auto events = (*chain)->events();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].frame, 21u);
    EXPECT_EQ(events[0].now, ShownBy::kComposition);
    EXPECT_EQ(
        events[0].reason,
        "display adapter display cannot scan this surface out as it is set up now (overlay check), so it copies each frame into "
        "its own memory.");
    EXPECT_EQ(events[1].frame, 41u);
    EXPECT_EQ(events[1].now, ShownBy::kScanOut);
    EXPECT_EQ(events[1].reason, "display adapter display can scan this surface out again.");
  }
}

// Presents until `events` path changes are recorded; returns the number of the next frame.
std::uint32_t PresentUntilEvents(SwapChain& chain, const TestApplication& application, std::uint32_t next, std::size_t events) {
  while (chain.events().size() < events) {
    EXPECT_TRUE(PresentFrames(chain, application, next, 1).ok());
    if (testing::Test::HasFailure()) break;
    ++next;
  }
  return next;
}

TEST(SwapChainFallBack, SecondScreenTakesTheBandwidth_NoFrameIsTornOrLost) {
  constexpr std::uint64_t kFrameBytes = kWidth * kHeight * 4;
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy}) {
    for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kImmediate, PresentMode::kMailbox}) {
      SCOPED_TRACE(std::string(ToString(path)) + " " + std::string(ToString(mode)));
      PairOptions options;
      options.connectors = 2;
      options.scan_out_bytes_per_second = kFrameBytes * 500 * 3 / 2;  // bandwidth of 1.5 screens
      const auto pair = SoftPair::Create(options);
      ASSERT_TRUE(pair);
      const auto second = std::make_shared<ReadingOutput>(options.refresh_period_ns);
      ASSERT_TRUE(pair->connectors().Plug(second).ok());
      const SwapChainDesc desc = FallBackDesc(path, mode);
      auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
      ASSERT_TRUE(chain.ok()) << chain.error().message;
      const TestApplication application(pair->render(), **chain, desc);
      ASSERT_TRUE(PresentFrames(**chain, application, 1, 20).ok());
      std::uint32_t next = 21;
      for (std::size_t round = 0; round < 3; ++round) {
        {
          OtherScreen other(*pair, Primary(kWidth, kHeight, Sharing::kCrossAdapter, 1));
          other.Paint(OtherScreen::kFirstNumber, Turned::kNot, 0);
          other.Flip();
          next = PresentUntilEvents(**chain, application, next, 2 * round + 1);
          ASSERT_TRUE(PresentFrames(**chain, application, next, 20).ok());
          next += 20;
        }
        next = PresentUntilEvents(**chain, application, next, 2 * round + 2);
        ASSERT_TRUE(PresentFrames(**chain, application, next, 20).ok());
        next += 20;
      }
      ASSERT_TRUE((*chain)->WaitForPresent(next - 1, kPatienceNs).ok());
      const auto seen = FramesSeen(*pair);
      const auto statistics = (*chain)->statistics();
      EXPECT_EQ(std::count(seen.begin(), seen.end(), ReadingOutput::kBroken), 0);
      EXPECT_GE(statistics.frames_composed, 3u);
      EXPECT_LT(statistics.frames_composed, statistics.frames_shown);
      if (mode == PresentMode::kMailbox) {
        EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
        EXPECT_EQ(seen.size(), statistics.frames_shown);
        EXPECT_EQ(seen.back(), next - 1);
      } else {
        EXPECT_EQ(seen, Range(1, next - 1));
      }
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ((*chain)->events()[i].now, i % 2 == 0 ? ShownBy::kComposition : ShownBy::kScanOut);
      }
    }
  }
}

TEST(SwapChainFallBack, NoPrimaries_IsSaidAndFramesAreScannedOutAllTheSame) {
  refuse = Refuse::kPrivatePrimary;
  PairOptions options;
  options.open_display = RefusingOpenAdapter10_2;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  const SwapChainDesc desc = FallBackDesc(PathRequest::kOneCopy, PresentMode::kFifo);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  refuse = Refuse::kNothing;
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  OtherScreen settings(*pair, Primary(kWidth, kHeight, Sharing::kPrivate, 0));
  settings.Paint(OtherScreen::kFirstNumber, Turned::kNot, 0);
  settings.SetMode(D3DDDI_ROTATION_180);
  const TestApplication application(pair->render(), **chain, desc);
  ASSERT_TRUE(PresentFrames(**chain, application, 1, 10).ok());
  ASSERT_TRUE((*chain)->WaitForPresent(10, kPatienceNs).ok());
  EXPECT_EQ(FramesSeen(*pair), Range(1, 10));
  EXPECT_EQ((*chain)->statistics().frames_composed, 0u);
  const auto events = (*chain)->events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].now, ShownBy::kScanOut);
  EXPECT_NE(events[0].reason.find("there is no primary to copy to"), std::string::npos) << events[0].reason;
}

}  // namespace
}  // namespace tandem::swapchain_test
