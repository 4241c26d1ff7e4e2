#include "color/format.h"

#include <gtest/gtest.h>

#include "color/convert.h"

namespace tandem::color {
namespace {

constexpr Format kFormats[] = {Format::kR16G16B16A16Float, Format::kR10G10B10A2Unorm, Format::kR8G8B8A8Unorm,
                               Format::kR8G8B8A8UnormSrgb, Format::kB8G8R8A8Unorm,    Format::kB8G8R8X8Unorm,
                               Format::kB8G8R8A8UnormSrgb};

TEST(FormatTest, EachFormat_HasSizeAndName) {
  for (const Format format : kFormats) {
    EXPECT_EQ(BytesPerPixel(format), format == Format::kR16G16B16A16Float ? 8U : 4U);
    EXPECT_NE(ToString(format), "UNKNOWN");
    EXPECT_TRUE(ConvertsToBgra8(format));
  }
  EXPECT_EQ(BytesPerPixel(static_cast<Format>(1234)), 0U);
  EXPECT_EQ(ToString(static_cast<Format>(1234)), "UNKNOWN");
}

}  // namespace
}  // namespace tandem::color
