#include "drivers/vulkan/display/frame_format.h"

#include <gtest/gtest.h>

namespace tandem::vulkan {
namespace {

class Blits final : public BlitSupport {
 public:
  explicit Blits(bool can) : can_(can) {}
  [[nodiscard]] bool CanBlit(VkFormat, VkFormat) const override { return can_; }

 private:
  bool can_;
};

const std::vector<WsiFormat> kBgraWindow{{VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
                                         {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR}};

TEST(FrameFormat, WindowTakesTheFormat_IsThatFormat) {
  const auto chosen = ChooseFrameFormat(color::Format::kB8G8R8A8Unorm, kBgraWindow, Blits(true));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->window, VK_FORMAT_B8G8R8A8_UNORM);
  EXPECT_EQ(chosen->convert_from, VK_FORMAT_UNDEFINED);
}

TEST(FrameFormat, WindowTakesTheBitsByAnotherName_IsCopiedAsItIs) {
  const std::vector<WsiFormat> window{{VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR}};
  const auto chosen = ChooseFrameFormat(color::Format::kB8G8R8A8UnormSrgb, window, Blits(false));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->window, VK_FORMAT_B8G8R8A8_UNORM);
  EXPECT_EQ(chosen->convert_from, VK_FORMAT_UNDEFINED);
}

TEST(FrameFormat, EncodedFrameOfOtherChannels_IsBlittedWithoutATransferFunction) {
  const auto chosen = ChooseFrameFormat(color::Format::kR8G8B8A8UnormSrgb, kBgraWindow, Blits(true));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->window, VK_FORMAT_B8G8R8A8_UNORM);
  EXPECT_EQ(chosen->convert_from, VK_FORMAT_R8G8B8A8_UNORM);
}

TEST(FrameFormat, LinearFrame_IsEncodedByTheBlit) {
  const auto chosen = ChooseFrameFormat(color::Format::kR16G16B16A16Float, kBgraWindow, Blits(true));
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->window, VK_FORMAT_B8G8R8A8_SRGB);
  EXPECT_EQ(chosen->convert_from, VK_FORMAT_R16G16B16A16_SFLOAT);
}

TEST(FrameFormat, NeitherCopyNorBlit_SaysWhich) {
  const auto chosen = ChooseFrameFormat(color::Format::kR10G10B10A2Unorm, kBgraWindow, Blits(false));
  ASSERT_FALSE(chosen.ok());
  EXPECT_EQ(chosen.error().kind, ErrorKind::kUnsupported);
}

TEST(FrameFormat, FormatOfAnotherColorSpace_IsNotTaken) {
  const std::vector<WsiFormat> window{{VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_HDR10_ST2084_EXT}};
  EXPECT_FALSE(ChooseFrameFormat(color::Format::kB8G8R8A8Unorm, window, Blits(true)).ok());
}

}  // namespace
}  // namespace tandem::vulkan
