#include "codec/packed/packed_yuv10.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tandem::codec {
namespace {

TEST(PackedYuv10, SamplesOfAnyCountComeBackAndNothingElseIsTouched) {
  std::mt19937 random(5);
  for (std::uint32_t count = 1; count < 70; ++count) {
    std::vector<std::uint16_t> words(count + 1);
    for (std::uint16_t& word : words) word = static_cast<std::uint16_t>(random());
    std::vector<std::byte> packed(PackedSamplesBytes(count) + 1, std::byte{0x5A});
    PackSamples(packed.data(), reinterpret_cast<const std::byte*>(words.data()), count);
    EXPECT_EQ(packed.back(), std::byte{0x5A}) << count;
    std::vector<std::uint16_t> back(count + 1, 0x1234);
    UnpackSamples(reinterpret_cast<std::byte*>(back.data()), packed.data(), count);
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(back[i], words[i] & 0xFFC0) << i << " of " << count;
    EXPECT_EQ(back.back(), 0x1234) << count;
  }
}

TEST(PackedYuv10, FourSamplesAreFiveBytesFromTheLowestBitsOn) {
  const std::uint16_t words[] = {0x3FF << 6, 0, 0x155 << 6, 1 << 6};
  std::byte packed[5];
  PackSamples(packed, reinterpret_cast<const std::byte*>(words), 4);
  std::uint64_t group = 0;
  std::memcpy(&group, packed, 5);
  EXPECT_EQ(group, 0x3FFULL | 0x155ULL << 20 | 1ULL << 30);
}

// Compares with the formulas in double precision.
TEST(PackedYuv10, PicturesAreTheModelsAndEveryPartStandsInItsPlace) {
  std::mt19937 random(6);
  for (const auto& [width, height] : {std::pair{1U, 1U}, {2U, 3U}, {7U, 5U}, {64U, 16U}, {131U, 37U}}) {
    std::vector<std::uint32_t> pixels(width * height);
    for (std::uint32_t& pixel : pixels) pixel = static_cast<std::uint32_t>(random()) | 3U << 30;
    std::vector<std::byte> payload(PackedYuv10Bytes(width, height) + 1, std::byte{0x5A});
    std::vector<std::byte> room(PackedYuv10RoomBytes(width) + 1, std::byte{0x5A});
    // Codes the picture in two parts.
    const std::uint32_t split = height / 2 / 2 * 2;
    for (const auto& [first, count] : {std::pair{0U, split}, {split, height - split}}) {
      if (count == 0) continue;
      const color::Rgb10<const std::byte> from{reinterpret_cast<const std::byte*>(pixels.data() + first * width), 4ULL * width,
                                               width, count};
      EncodePackedYuv10({payload.data(), width, height, first}, from, {}, room.data());
    }
    EXPECT_EQ(payload.back(), std::byte{0x5A});
    EXPECT_EQ(room.back(), std::byte{0x5A});
    const auto sample = [&](std::uint64_t row_bytes, std::uint64_t begin, std::uint32_t x, std::uint32_t y) {
      std::uint64_t group = 0;
      std::memcpy(&group, payload.data() + begin + y * row_bytes + x / 4 * 5, 5);
      return static_cast<double>(group >> (x % 4 * 10) & 1023);
    };
    const std::uint32_t chroma = 2 * color::ChromaExtent(width);
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const auto channel = [&, w = width, h = height](std::uint32_t at_x, std::uint32_t at_y, int shift) {
          return static_cast<double>(pixels[std::min(at_y, h - 1) * w + std::min(at_x, w - 1)] >> shift & 1023);
        };
        const auto luma = [](double r, double g, double b) { return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        ASSERT_NEAR(sample(PackedSamplesBytes(width), 0, x, y), luma(channel(x, y, 0), channel(x, y, 10), channel(x, y, 20)),
                    0.51);
        if (x % 2 != 0 || y % 2 != 0) continue;
        double mean[3] = {};
        for (int c = 0; c < 3; ++c) {
          for (const auto& [dx, dy] : {std::pair{0U, 0U}, {1U, 0U}, {0U, 1U}, {1U, 1U}}) {
            mean[c] += channel(x + dx, y + dy, 10 * c) / 4;
          }
        }
        const double l = luma(mean[0], mean[1], mean[2]);
        const std::uint64_t begin = PackedSamplesBytes(width) * height;
        const auto clamped = [](double value) { return std::min(value, 1023.0); };
        ASSERT_NEAR(sample(PackedSamplesBytes(chroma), begin, x, y / 2), clamped(512 + (mean[2] - l) / 1.8556), 0.51);
        ASSERT_NEAR(sample(PackedSamplesBytes(chroma), begin, x + 1, y / 2), clamped(512 + (mean[0] - l) / 1.5748), 0.51);
      }
    }
  }
}

}  // namespace
}  // namespace tandem::codec
