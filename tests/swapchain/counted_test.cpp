// Figures of copies and bytes reflect the drivers' work, whatever the swap chain assumes.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::Statistics;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::uint32_t kWidth = 64;
constexpr std::uint32_t kHeight = 48;
constexpr std::uint64_t kPixels = std::uint64_t{kWidth} * kHeight;
constexpr std::uint32_t kFrames = 10;
constexpr std::uint32_t kOpaque = 0xFF000000;

SwapChainDesc CountedDesc(PathRequest path) { return DrawnByProcessor(kWidth, kHeight, path); }

enum class Pictures { kMove, kStand };

// Returns after all frames were shown.
Statistics Show(SoftPair& pair, SwapChain& chain, const SwapChainDesc& desc, Pictures pictures = Pictures::kMove) {
  const TestApplication application(pair.render(), chain, desc, kOpaque);
  for (std::uint32_t number = 1; number <= kFrames; ++number) {
    const auto image = chain.Acquire(kPatienceNs);
    EXPECT_TRUE(image.ok());
    application.Draw(*image, pictures == Pictures::kMove ? number : 1);
    EXPECT_TRUE(chain.Present(*image, number).ok());
    EXPECT_TRUE(chain.WaitForPresent(number, kPatienceNs).ok());
  }
  return chain.statistics();
}

std::unique_ptr<SoftPair> MakePair() {
  PairOptions options;
  options.opaque = kOpaque;
  return SoftPair::Create(options);
}

Statistics ShowOverLink(LinkEncoding encoding, Pictures pictures = Pictures::kMove) {
  const auto pair = MakePair();
  Just policy(encoding);
  SwapChainDesc desc = CountedDesc(PathRequest::kCompressed);
  desc.encodings = &policy;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  EXPECT_TRUE(chain.ok()) << chain.error().message;
  return chain.ok() ? Show(*pair, **chain, desc, pictures) : Statistics();
}

TEST(SwapChainCounted, EncodedFrames_CountTheBytesThatTheyAre) {
  for (const LinkEncoding encoding : {LinkEncoding::kPlain, LinkEncoding::kPacked, LinkEncoding::kYuv420, LinkEncoding::kBc1}) {
    if (!link::IsBuilt(encoding)) continue;
    SCOPED_TRACE(link::ToString(encoding));
    const Statistics statistics = ShowOverLink(encoding);
    EXPECT_TRUE(statistics.counts_passes);
    EXPECT_EQ(statistics.full_frame_copies, 2 * kFrames);
    const std::uint64_t encoded = link::LinkFrameBytes(encoding, color::Format::kB8G8R8A8Unorm, kWidth, kHeight);
    EXPECT_EQ(statistics.bytes_moved, kFrames * (encoded + 4 * kPixels));
  }
}

// An encoder that stores reference rows writes them; a decoder does not write unchanged pixels.
TEST(SwapChainCounted, StillPicture_IsHardlyWritten) {
  const Statistics still = ShowOverLink(LinkEncoding::kLossless, Pictures::kStand);
  const Statistics moving = ShowOverLink(LinkEncoding::kLossless, Pictures::kMove);
  EXPECT_LT(still.bytes_moved, moving.bytes_moved / 2);
  EXPECT_LT(still.full_frame_copies, moving.full_frame_copies);
  EXPECT_GE(moving.bytes_moved, moving.link_bytes + kFrames * 4 * kPixels);
}

// Each swap chain counts its own frames, on one pair of adapters.
TEST(SwapChainCounted, TwoSwapChains_CountApart) {
  PairOptions options;
  options.connectors = 2;
  options.opaque = kOpaque;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  ASSERT_TRUE(pair->connectors().Plug(std::make_shared<ReadingOutput>(options.refresh_period_ns, kOpaque)).ok());
  const SwapChainDesc one = CountedDesc(PathRequest::kOneCopy);
  SwapChainDesc two = CountedDesc(PathRequest::kTwoCopy);
  two.vidpn_source = 1;
  auto first = SwapChain::Create(pair->render(), pair->display(), one, MonotonicClock());
  auto second = SwapChain::Create(pair->render(), pair->display(), two, MonotonicClock());
  ASSERT_TRUE(first.ok() && second.ok());
  static_cast<void>(Show(*pair, **first, one));
  static_cast<void>(Show(*pair, **second, two));
  EXPECT_EQ((*first)->statistics().full_frame_copies, kFrames);
  EXPECT_EQ((*first)->statistics().bytes_moved, kFrames * 4 * kPixels);
  EXPECT_EQ((*second)->statistics().full_frame_copies, 2 * kFrames);
  EXPECT_EQ((*second)->statistics().bytes_moved, kFrames * 8 * kPixels);
}

TEST(SwapChainCounted, AdapterThatIsGone_LeavesItsFigures) {
  const auto pair = MakePair();
  ASSERT_TRUE(pair);
  const SwapChainDesc desc = CountedDesc(PathRequest::kTwoCopy);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok());
  static_cast<void>(Show(*pair, **chain, desc));
  pair->RemoveRender();
  EXPECT_EQ((*chain)->statistics().bytes_moved, kFrames * 8 * kPixels);
}

// From the first blank to the last there is one interval fewer than frames.
TEST(SwapChainCounted, ShownTime_IsBetweenFirstAndLastBlank) {
  const auto pair = MakePair();
  ASSERT_TRUE(pair);
  const SwapChainDesc desc = CountedDesc(PathRequest::kOneCopy);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok());
  EXPECT_EQ((*chain)->statistics().shown_ns, 0);
  const std::int64_t begin_ns = MonotonicClock().NowNs();
  const Statistics statistics = Show(*pair, **chain, desc);
  EXPECT_GT(statistics.shown_ns, 0);
  EXPECT_LE(statistics.shown_ns, MonotonicClock().NowNs() - begin_ns);
}

}  // namespace
}  // namespace tandem::swapchain_test
