// Figures in the picture: what stands around them is the program's, and so are its images.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/swapchain/keeping_output.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::uint32_t kWidth = 320, kHeight = 120;
// The plate of a picture of so few lines.
constexpr std::uint32_t kPlateWidth = 138, kPlateHeight = 26;
constexpr std::uint32_t kAlpha = 0xFF000000U;
constexpr std::uint32_t kPlate = 0xFF101010U, kText = 0xFFE0E0E0U;

SwapChainDesc WithHud(PathRequest path) {
  SwapChainDesc desc = DrawnByProcessor(kWidth, kHeight, path);
  desc.hud = true;
  return desc;
}

// Pixels of the plate that are text. Everything else is the plate's colour inside, and frame `number` outside.
std::uint32_t CheckShown(const KeepingOutput& output, std::uint32_t number) {
  std::uint32_t text = 0, wrong = 0;
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, output.pixels.data() + std::size_t{4} * (y * kWidth + x), sizeof(pixel));
      const bool inside = x < kPlateWidth && y < kPlateHeight;
      text += inside && pixel == kText ? 1 : 0;
      wrong += pixel == (inside ? kPlate : PatternWord(number, x, y) | kAlpha) || (inside && pixel == kText) ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0U) << "pixels of frame " << number;
  return text;
}

struct HudCase {
  PathRequest path;
  std::uint32_t display_buffers = 0;
};

void ShowWithFigures(const HudCase& test, link::EncodingPolicy* encodings) {
  constexpr std::uint32_t kFrames = 12;
  const auto output = std::make_shared<KeepingOutput>();
  {
    PairOptions options;
    options.opaque = kAlpha;
    options.output = output;
    const auto pair = SoftPair::Create(options);
    ASSERT_TRUE(pair);
    SwapChainDesc desc = WithHud(test.path);
    desc.display_buffers = test.display_buffers;
    desc.encodings = encodings;
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    const TestApplication application(pair->render(), **chain, desc, kAlpha);
    ASSERT_TRUE(PresentFrames(**chain, application, 1, kFrames).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(kFrames, kPatienceNs).ok());
  }
  EXPECT_GT(CheckShown(*output, kFrames), 100U);
}

TEST(SwapChainHud, EachPathThatCopies_ShowsTheFigures_AndTheFrameAroundThem) {
  for (const HudCase& test : {HudCase{PathRequest::kOneCopy}, {PathRequest::kTwoCopy}, {PathRequest::kTwoCopy, 2}}) {
    SCOPED_TRACE(std::string(ToString(test.path)) + " " + std::to_string(test.display_buffers));
    ASSERT_NO_FATAL_FAILURE(ShowWithFigures(test, nullptr));
  }
}

// Unchanged tiles are not sent again, so that they must not be taken from under the figures.
TEST(SwapChainHud, EncodedFrames_StandAroundTheFigures) {
  for (const std::uint32_t display_buffers : {0U, 2U, 3U}) {
    SCOPED_TRACE(display_buffers);
    Just policy(link::LinkEncoding::kLossless);
    ASSERT_NO_FATAL_FAILURE(ShowWithFigures({PathRequest::kCompressed, display_buffers}, &policy));
  }
}

TEST(SwapChainHud, ImagesOfTheProgram_KeepTheirPixels) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  const SwapChainDesc desc = WithHud(PathRequest::kAuto);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  EXPECT_EQ((*chain)->decision().path, swapchain::Path::kOneCopy);
  ASSERT_FALSE((*chain)->decision().refused.empty());
  EXPECT_EQ((*chain)->decision().refused[0],
            "direct: figures are drawn into what is shown, and that is the program's own image.");
  const TestApplication application(pair->render(), **chain, desc);
  for (std::uint32_t frame = 1; frame <= 8; ++frame) {
    const auto image = (*chain)->Acquire(kPatienceNs);
    ASSERT_TRUE(image.ok());
    application.Draw(*image, frame);
    ASSERT_TRUE((*chain)->Present(*image, frame).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(frame, kPatienceNs).ok());
    EXPECT_EQ(application.Number(*image), frame);
  }
}

TEST(SwapChainHud, DirectPathAskedFor_IsRefused) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  const auto chain = SwapChain::Create(pair->render(), pair->display(), WithHud(PathRequest::kDirect), MonotonicClock());
  ASSERT_FALSE(chain.ok());
  EXPECT_NE(chain.error().message.find("the program's own image"), std::string::npos) << chain.error().message;
}

}  // namespace
}  // namespace tandem::swapchain_test
