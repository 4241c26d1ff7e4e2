// Frames of more precision than the screen has are converted by the copy that crosses. The picture on the screen stays the same;
// the drivers' meters tell the bytes.
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "color/blit.h"
#include "color/format.h"
#include "swapchain/swap_chain.h"
#include "tests/swapchain/keeping_output.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::ShownDepth;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::uint32_t kWidth = 333;
constexpr std::uint32_t kHeight = 51;
constexpr std::uint64_t kPixels = std::uint64_t{kWidth} * kHeight;
constexpr std::uint32_t kFrames = 4;

struct Shown {
  color::Format format = color::Format::kUnknown;
  std::vector<std::byte> pixels;
  std::vector<std::byte> seen;
  swapchain::PathDecision decision;
  swapchain::Statistics statistics;
};

struct Case {
  DXGI_FORMAT format = DXGI_FORMAT_R16G16B16A16_FLOAT;
  PathRequest path = PathRequest::kOneCopy;
  ShownDepth depth = ShownDepth::kHalfFloats;
  bool dithers = false;
};

Shown Show(const Case& tested) {
  auto output = std::make_shared<KeepingOutput>();
  PairOptions options;
  options.dithers = tested.dithers;
  options.output = output;
  const auto pair = SoftPair::Create(options);
  SwapChainDesc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.format = tested.format;
  desc.path = tested.path;
  desc.shown_depth = tested.depth;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  EXPECT_TRUE(chain.ok()) << chain.error().message;
  if (!chain.ok()) return {};
  Shown shown;
  {
    const TestApplication application(pair->render(), **chain, desc);
    EXPECT_TRUE(PresentFrames(**chain, application, 1, kFrames).ok());
    EXPECT_TRUE((*chain)->WaitForPresent(kFrames, kPatienceNs).ok());
    shown.decision = (*chain)->decision();
    shown.statistics = (*chain)->statistics();
  }
  chain->reset();
  pair->RemoveDisplay();
  shown.format = output->format;
  shown.pixels = output->pixels;
  shown.seen = output->seen;
  return shown;
}

TEST(SwapChainCrossing, HalfFloatsOnEightBits_ShowTheSamePictureFromHalfTheBytes) {
  for (const PathRequest path : {PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    for (const bool dithers : {false, true}) {
      SCOPED_TRACE(std::string(ToString(path)) + (dithers ? ", dithered" : ""));
      const DXGI_FORMAT halves = DXGI_FORMAT_R16G16B16A16_FLOAT;
      const Shown before = Show({halves, path, ShownDepth::kHalfFloats, dithers});
      const Shown after = Show({halves, path, ShownDepth::kEightBits, dithers});
      EXPECT_EQ(before.format, color::Format::kR16G16B16A16Float);
      EXPECT_EQ(after.format, color::Format::kB8G8R8A8Unorm);
      EXPECT_EQ(after.decision.crossing_format, DXGI_FORMAT_B8G8R8A8_UNORM);
      EXPECT_EQ(after.seen, before.seen);
      const std::uint64_t copies = path == PathRequest::kOneCopy ? 1 : 2;
      EXPECT_EQ(before.statistics.bytes_moved, kFrames * copies * 8 * kPixels);
      EXPECT_EQ(after.statistics.bytes_moved, kFrames * copies * 4 * kPixels);
      EXPECT_EQ(after.statistics.full_frame_copies, static_cast<double>(kFrames * copies));
      EXPECT_NE(after.decision.reason.find("That copy makes B8G8R8A8_UNORM of R16G16B16A16_FLOAT."), std::string::npos)
          << after.decision.reason;
    }
  }
}

TEST(SwapChainCrossing, HalfFloatsOnTenBits_AreTheNearestOfTheCurve) {
  const Shown before = Show({});
  const Shown after = Show({DXGI_FORMAT_R16G16B16A16_FLOAT, PathRequest::kOneCopy, ShownDepth::kTenBits, false});
  EXPECT_EQ(after.format, color::Format::kR10G10B10A2Unorm);
  std::vector<std::byte> expected(4 * kPixels);
  color::BlitRequest request;
  request.source = before.pixels.data();
  request.source_pitch = 8ULL * kWidth;
  request.source_format = before.format;
  request.source_width = request.destination_width = kWidth;
  request.source_height = request.destination_height = kHeight;
  request.destination = expected.data();
  request.destination_pitch = 4ULL * kWidth;
  request.destination_format = color::Format::kR10G10B10A2Unorm;
  request.part = {0, 0, kWidth, kHeight};
  request.transfer = color::Transfer::kLinearToSrgb;
  color::BlitReference(request);
  EXPECT_EQ(after.pixels, expected);
}

TEST(SwapChainCrossing, TenBitsOnEight_ShowTheSamePicture) {
  for (const bool dithers : {false, true}) {
    const Shown before = Show({DXGI_FORMAT_R10G10B10A2_UNORM, PathRequest::kOneCopy, ShownDepth::kTenBits, dithers});
    const Shown after = Show({DXGI_FORMAT_R10G10B10A2_UNORM, PathRequest::kOneCopy, ShownDepth::kEightBits, dithers});
    EXPECT_EQ(before.format, color::Format::kR10G10B10A2Unorm);
    EXPECT_EQ(after.format, color::Format::kB8G8R8A8Unorm);
    EXPECT_EQ(after.seen, before.seen);
  }
}

TEST(SwapChainCrossing, DirectPath_KeepsTheProgramsFormat) {
  const Shown shown = Show({DXGI_FORMAT_R16G16B16A16_FLOAT, PathRequest::kDirect, ShownDepth::kEightBits, false});
  EXPECT_EQ(shown.format, color::Format::kR16G16B16A16Float);
  EXPECT_EQ(shown.decision.crossing_format, DXGI_FORMAT_R16G16B16A16_FLOAT);
}

TEST(SwapChainCrossing, FormatsOfTheScreen_CrossAsTheyAre) {
  for (const DXGI_FORMAT format : {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT_B8G8R8X8_UNORM}) {
    const Shown shown = Show({format, PathRequest::kOneCopy, ShownDepth::kEightBits, false});
    EXPECT_EQ(shown.format, static_cast<color::Format>(format));
    EXPECT_EQ(shown.decision.reason.find("That copy makes"), std::string::npos) << shown.decision.reason;
  }
}

}  // namespace
}  // namespace tandem::swapchain_test
