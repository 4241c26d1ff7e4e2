#include "codec/bc1/bc1.h"

#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/pictures.h"
#include "codec/pictures/quality.h"
#include "color/simd/testing/each_target.h"

namespace tandem::codec {
namespace {

using Bytes = std::vector<std::byte>;
using View = color::Bgra8<const std::byte>;

Bytes EncodeReference(const View& picture) {
  Bytes blocks(Bc1Bytes(picture.width, picture.height));
  EncodeBc1Reference(blocks.data(), Bc1RowBytes(picture.width), picture);
  return blocks;
}

Bytes DecodeReference(const Bytes& blocks, std::uint32_t width, std::uint32_t height) {
  Bytes pixels(4ULL * width * height);
  DecodeBc1Reference({pixels.data(), 4ULL * width, width, height}, blocks.data(), Bc1RowBytes(width));
  return pixels;
}

TEST(Bc1Test, EachTarget_AtOddSizes_IsTheReferenceInEveryBit) {
  for (const Picture picture : kPictures) {
    for (const auto& [width, height] : {std::pair{1U, 1U}, {3U, 5U}, {64U, 8U}, {203U, 31U}, {512U, 16U}}) {
      const Bytes pixels = DrawPicture(picture, width, height, 7);
      const View view{pixels.data(), 4ULL * width, width, height};
      const Bytes blocks = EncodeReference(view);
      const Bytes decoded = DecodeReference(blocks, width, height);
      color::simd::OnEachTarget([&, w = width, h = height] {
        Bytes got(blocks.size());
        EncodeBc1(got.data(), Bc1RowBytes(w), view);
        EXPECT_EQ(got, blocks) << ToString(picture) << ", " << w;
        Bytes got_pixels(decoded.size());
        DecodeBc1({got_pixels.data(), 4ULL * w, w, h}, blocks.data(), Bc1RowBytes(w));
        EXPECT_EQ(got_pixels, decoded) << ToString(picture) << ", " << w;
      });
    }
  }
}

TEST(Bc1Test, AnyBlocks_DecodeTheSameOnEachTarget) {
  std::mt19937 random(5);
  Bytes blocks(Bc1Bytes(256, 64));
  for (std::byte& byte : blocks) byte = static_cast<std::byte>(random());
  const Bytes decoded = DecodeReference(blocks, 256, 64);
  color::simd::OnEachTarget([&] {
    Bytes got(decoded.size());
    DecodeBc1({got.data(), 1024, 256, 64}, blocks.data(), Bc1RowBytes(256));
    EXPECT_EQ(got, decoded);
  });
}

TEST(Bc1Test, KnownBlocks_AreTheSpecificationsColours) {
  // Four colours: red, blue and the two thirds between. Three colours and black if the first code is not the greater one.
  const Bytes four = {std::byte{0x00}, std::byte{0xF8}, std::byte{0x1F}, std::byte{0x00},
                      std::byte{0xE4}, std::byte{0xE4}, std::byte{0xE4}, std::byte{0xE4}};
  const Bytes three = {std::byte{0x1F}, std::byte{0x00}, std::byte{0x00}, std::byte{0xF8},
                       std::byte{0xE4}, std::byte{0xE4}, std::byte{0xE4}, std::byte{0xE4}};
  const auto row = [](const Bytes& block) {
    const Bytes pixels = DecodeReference(block, 4, 4);
    std::vector<std::vector<int>> colors;
    for (std::size_t x = 0; x < 4; ++x) {
      colors.push_back({});
      for (std::size_t c = 0; c < 4; ++c) colors.back().push_back(std::to_integer<int>(pixels[4 * x + c]));
    }
    return colors;
  };
  using Row = std::vector<std::vector<int>>;
  EXPECT_EQ(row(four), (Row{{0, 0, 255, 255}, {255, 0, 0, 255}, {85, 0, 170, 255}, {170, 0, 85, 255}}));
  EXPECT_EQ(row(three), (Row{{255, 0, 0, 255}, {0, 0, 255, 255}, {128, 0, 128, 255}, {0, 0, 0, 255}}));
}

TEST(Bc1Test, FlatBlocks_AreWithinAThirdOfTheStepsOfTheirCodes) {
  for (int level = 0; level < 256; ++level) {
    const Bytes pixels(64, static_cast<std::byte>(level));
    const Bytes back = DecodeReference(EncodeReference({pixels.data(), 16, 4, 4}), 4, 4);
    EXPECT_NEAR(std::to_integer<int>(back[0]), level, 1);
    EXPECT_NEAR(std::to_integer<int>(back[1]), level, 1);
    EXPECT_NEAR(std::to_integer<int>(back[2]), level, 1);
  }
}

TEST(Bc1Test, RedOnBlue_KeepsBothColours) {
  Bytes pixels(64);
  for (std::size_t i = 0; i < 16; ++i) pixels[4 * i + (i % 3 == 0 ? 2 : 0)] = std::byte{255};
  const Bytes back = DecodeReference(EncodeReference({pixels.data(), 16, 4, 4}), 4, 4);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_GT(std::to_integer<int>(back[4 * i + (i % 3 == 0 ? 2 : 0)]), 230) << i;
    EXPECT_LT(std::to_integer<int>(back[4 * i + (i % 3 == 0 ? 0 : 2)]), 25) << i;
  }
}

TEST(Bc1Test, Scene_IsAsGoodAsALastResortMayBe) {
  const Bytes pixels = DrawPicture(Picture::kScene, 512, 256, 1);
  const View view{pixels.data(), 2048, 512, 256};
  const Bytes back = DecodeReference(EncodeReference(view), 512, 256);
  EXPECT_GT(Compare(view, {back.data(), 2048, 512, 256}).psnr_db, 32);
}

}  // namespace
}  // namespace tandem::codec
