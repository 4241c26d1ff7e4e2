// Buffer counts of each stage: images of the render adapter, the ring in system memory, primaries of the display adapter.
#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

SwapChainDesc BuffersDesc(std::uint32_t images, std::uint32_t ring, std::uint32_t display, PresentMode mode) {
  SwapChainDesc desc;
  desc.width = 61;
  desc.height = 37;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = PathRequest::kTwoCopy;
  desc.present_mode = mode;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  desc.image_count = images;
  desc.ring_buffers = ring;
  desc.display_buffers = display;
  return desc;
}

// Checks that frames 1 to `last` are whole and in order; a mailbox omits replaced frames.
void ExpectShown(const ReadingOutput& output, std::uint32_t last, PresentMode mode) {
  const auto numbers = output.Numbers();
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
  if (mode != PresentMode::kMailbox) {
    EXPECT_EQ(numbers.size(), last);
  }
  EXPECT_EQ(numbers.back(), last);
}

TEST(SwapChainBuffers, EachCountOfEachStage_EveryFrameArrivesWhole) {
  constexpr std::uint32_t kFrames = 60;
  for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kImmediate, PresentMode::kMailbox}) {
    const auto pair = SoftPair::Create({3, 3, 500'000});
    ASSERT_TRUE(pair);
    std::uint32_t next = 1;
    for (const auto& [images, ring, display] :
         {std::array{2U, 2U, 2U}, {2U, 3U, 2U}, {2U, 3U, 0U}, {3U, 2U, 4U}, {kMaxAppImages, kMaxRingBuffers, kMaxRingBuffers}}) {
      SCOPED_TRACE(std::string(ToString(mode)) + " " + std::to_string(images) + " " + std::to_string(ring) + " " +
                   std::to_string(display));
      const SwapChainDesc desc = BuffersDesc(images, ring, display, mode);
      auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
      ASSERT_TRUE(chain.ok()) << chain.error().message;
      EXPECT_EQ((*chain)->image_count(), images);
      const TestApplication application(pair->render(), **chain, desc);
      ASSERT_TRUE(PresentFrames(**chain, application, next, kFrames).ok());
      next += kFrames;
      ASSERT_TRUE((*chain)->WaitForPresent(next - 1, kPatienceNs).ok());
    }
    ExpectShown(pair->output(), next - 1, mode);
  }
}

TEST(SwapChainBuffers, CountsBeyondTheLimits_AreRefusedWithValueAndLimit) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  const auto refusal = [&](std::uint32_t images, std::uint32_t ring, std::uint32_t display) {
    auto chain = SwapChain::Create(pair->render(), pair->display(), BuffersDesc(images, ring, display, PresentMode::kFifo),
                                   MonotonicClock());
    return chain.ok() ? std::string() : chain.error().message;
  };
  EXPECT_EQ(refusal(1, 3, 0), "Image count 1 is not in 2..16.");
  EXPECT_EQ(refusal(17, 3, 0), "Image count 17 is not in 2..16.");
  EXPECT_EQ(refusal(2, 1, 0), "Ring buffer count 1 is not in 2..8.");
  EXPECT_EQ(refusal(2, 9, 0), "Ring buffer count 9 is not in 2..8.");
  EXPECT_EQ(refusal(2, 3, 1), "Display buffer count 1 is not in 2..8.");
  EXPECT_EQ(refusal(2, 3, 9), "Display buffer count 9 is not in 2..8.");
}

// Lossless frames with mostly unchanged pixels, in slices and whole.
TEST(SwapChainBuffers, EachCountOfEncodedFrames_EveryFrameArrivesWhole) {
  constexpr std::uint32_t kFrames = 40;
  constexpr std::uint32_t kAlpha = 0xFF000000U;
  for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kImmediate, PresentMode::kMailbox}) {
    PairOptions options;
    options.refresh_period_ns = 500'000;
    options.opaque = kAlpha;
    const auto pair = SoftPair::Create(options);
    ASSERT_TRUE(pair);
    std::uint32_t next = 1;
    for (const auto& [images, ring, display] :
         {std::array{2U, 2U, 2U}, {2U, 3U, 2U}, {2U, 2U, 3U}, {3U, 4U, 2U}, {kMaxAppImages, kMaxRingBuffers, 2U}}) {
      for (const std::uint32_t slices : {1U, 3U}) {
        SCOPED_TRACE(std::string(ToString(mode)) + " " + std::to_string(images) + " " + std::to_string(ring) + " " +
                     std::to_string(display) + " in " + std::to_string(slices));
        Just policy(link::LinkEncoding::kLossless);
        SwapChainDesc desc = BuffersDesc(images, ring, display, mode);
        desc.path = PathRequest::kCompressed;
        desc.encodings = &policy;
        desc.link_slices = slices;
        auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
        ASSERT_TRUE(chain.ok()) << chain.error().message;
        const TestApplication application(pair->render(), **chain, desc, kAlpha);
        ASSERT_TRUE(PresentFrames(**chain, application, next, kFrames).ok());
        next += kFrames;
        ASSERT_TRUE((*chain)->WaitForPresent(next - 1, kPatienceNs).ok());
        if (mode != PresentMode::kMailbox) {
          const bool copied_on = ring != display;
          const double copies = (*chain)->statistics().full_frame_copies / kFrames;
          EXPECT_GE(copies, copied_on ? 3 : 2);
          EXPECT_LT(copies, copied_on ? 4 : 3) << "The encoder keeps the rows of some frames.";
        }
      }
    }
    ExpectShown(pair->output(), next - 1, mode);
  }
}

// Every request is met: over a narrow link frames are encoded whatever the counts.
TEST(SwapChainBuffers, AutoOverANarrowLinkWithOtherPrimaries_IsCompressed) {
  PairOptions options;
  options.link_bytes_per_second = 10'000'000;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  Just policy(link::LinkEncoding::kLossless);
  SwapChainDesc desc = BuffersDesc(2, 3, 2, PresentMode::kFifo);
  desc.width = desc.height = 256;
  desc.path = PathRequest::kAuto;
  desc.encodings = &policy;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  EXPECT_EQ((*chain)->decision().path, swapchain::Path::kCompressed);
}

}  // namespace
}  // namespace tandem::swapchain_test
