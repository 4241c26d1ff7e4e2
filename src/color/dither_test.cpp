#include "color/dither.h"

#include <bitset>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "color/model.h"
#include "color/simd/testing/each_target.h"

namespace tandem::color {
namespace {

constexpr std::uint32_t kExtent = 8;

std::uint64_t TenBits(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return red | green << 10 | blue << 20 | std::uint64_t{3} << 30;
}

// Dithers 8 x 8 pixels of one colour.
std::vector<std::uint8_t> Dithered(Format format, std::uint64_t pixel, Transfer transfer) {
  const std::uint32_t bytes = BytesPerPixel(format);
  std::vector<std::byte> from(bytes * kExtent * kExtent);
  for (std::size_t i = 0; i < from.size(); i += bytes) std::memcpy(&from[i], &pixel, bytes);
  std::vector<std::uint8_t> to(4 * kExtent * kExtent);
  DitherToBgra8(reinterpret_cast<std::byte*>(to.data()), 4 * kExtent, {from.data(), bytes * kExtent, kExtent, kExtent, format},
                transfer, Alpha::kKeep, 0);
  return to;
}

double MeanOf(const std::vector<std::uint8_t>& pixels, std::size_t channel) {
  double sum = 0;
  for (std::size_t i = channel; i < pixels.size(); i += 4) sum += pixels[i];
  return sum * 4 / static_cast<double>(pixels.size());
}

TEST(DitherTest, Pattern_HasEachRankOnce) {
  std::bitset<64> seen;
  for (std::uint32_t y = 0; y < kExtent; ++y) {
    for (std::uint32_t x = 0; x < kExtent; ++x) seen.set(DitherRank(x, y));
  }
  EXPECT_TRUE(seen.all());
}

TEST(DitherTest, EachTenBitCode_HasItsMeanInEachChannel) {
  for (std::uint32_t code = 0; code < 1024; ++code) {
    const auto pixels = Dithered(Format::kR10G10B10A2Unorm, TenBits(code, 1023 - code, code / 2), Transfer::kPassThrough);
    const double step = 255.0 / 1023;
    ASSERT_NEAR(MeanOf(pixels, 2), code * step, 1.0 / 64) << code;
    ASSERT_NEAR(MeanOf(pixels, 1), (1023 - code) * step, 1.0 / 64) << code;
    ASSERT_NEAR(MeanOf(pixels, 0), code / 2 * step, 1.0 / 64) << code;
    ASSERT_EQ(MeanOf(pixels, 3), 255);
  }
}

TEST(DitherTest, EachHalf_HasItsMeanAndIsNeverOffByAStep) {
  for (std::uint32_t bits = 0; bits < 65536; bits += 7) {
    for (const Transfer transfer : {Transfer::kPassThrough, Transfer::kLinearToSrgb}) {
      const auto pixels = Dithered(Format::kR16G16B16A16Float, bits | std::uint64_t{0x3C00} << 48, transfer);
      double value = HalfToDouble(static_cast<std::uint16_t>(bits));
      if (transfer == Transfer::kLinearToSrgb) value = LinearToSrgb(value);
      const double expected = !(value > 0) ? 0 : std::min(value, 1.0) * 255;
      ASSERT_NEAR(MeanOf(pixels, 2), expected, 1.0 / 64) << bits;
      for (std::size_t i = 2; i < pixels.size(); i += 4) ASSERT_NEAR(pixels[i], expected, 1.0) << bits;
      ASSERT_EQ(MeanOf(pixels, 3), 255);
    }
  }
}

TEST(DitherTest, ValuesOfEightBits_StayAsTheyAre) {
  for (std::uint32_t value = 0; value < 256; ++value) {
    const auto pixels =
        Dithered(Format::kR16G16B16A16Float, Unorm8ToHalf(static_cast<std::uint8_t>(value)), Transfer::kPassThrough);
    // A half is within 1/16 of the value, so at most four of the 64 thresholds round it wrongly.
    EXPECT_NEAR(MeanOf(pixels, 2), value, 5.0 / 64) << value;
  }
  for (const std::uint32_t code : {0U, 341U, 682U, 1023U}) {  // values that are whole in eight bits
    for (std::size_t i = 0; i < 4 * kExtent * kExtent; i += 4) {
      EXPECT_EQ(Dithered(Format::kR10G10B10A2Unorm, TenBits(code, code, code), Transfer::kPassThrough)[i], code / 341 * 85);
    }
  }
}

TEST(DitherTest, Rows_KeepTheirPlaceInThePattern) {
  std::vector<std::uint32_t> from(5 * 12, static_cast<std::uint32_t>(TenBits(301, 302, 303)));
  std::vector<std::uint32_t> whole(from.size());
  std::vector<std::uint32_t> parts(from.size());
  const auto dither = [&](std::vector<std::uint32_t>& to, std::uint32_t first, std::uint32_t rows) {
    DitherToBgra8(reinterpret_cast<std::byte*>(to.data() + 5 * first), 20,
                  {reinterpret_cast<const std::byte*>(from.data() + 5 * first), 20, 5, rows, Format::kR10G10B10A2Unorm},
                  Transfer::kPassThrough, Alpha::kOpaque, first);
  };
  dither(whole, 0, 12);
  for (const std::uint32_t first : {0U, 3U, 6U, 9U}) dither(parts, first, 3);
  EXPECT_EQ(whole, parts);
}

TEST(DitherTest, EveryTarget_EqualsTheReferenceAtAnyWidthAndRow) {
  std::mt19937 random(3);
  std::vector<std::uint64_t> pixels(3 * 261);
  for (std::uint64_t& pixel : pixels) pixel = std::uint64_t{random()} << 32 | random();
  for (const Format format : {Format::kR10G10B10A2Unorm, Format::kR16G16B16A16Float}) {
    for (std::uint32_t width : {1U, 7U, 8U, 9U, 31U, 64U, 261U}) {
      const ConversionSource source{reinterpret_cast<const std::byte*>(pixels.data()), 8 * 261, width, 3, format};
      for (const Alpha alpha : {Alpha::kKeep, Alpha::kOpaque}) {
        std::vector<std::uint32_t> expected(3 * 261);
        DitherToBgra8Reference(reinterpret_cast<std::byte*>(expected.data()), 4 * 261, source, Transfer::kLinearToSrgb, alpha, 5);
        simd::OnEachTarget([&] {
          std::vector<std::uint32_t> got(3 * 261);
          DitherToBgra8(reinterpret_cast<std::byte*>(got.data()), 4 * 261, source, Transfer::kLinearToSrgb, alpha, 5);
          ASSERT_EQ(got, expected) << ToString(format) << " " << width;
        });
      }
    }
  }
}

TEST(DitherTest, EightBitFormats_AreConverted) {
  const std::uint32_t pixel = 0x80402010;
  std::uint32_t to = 0;
  DitherToBgra8(reinterpret_cast<std::byte*>(&to), 4,
                {reinterpret_cast<const std::byte*>(&pixel), 4, 1, 1, Format::kR8G8B8A8Unorm}, Transfer::kPassThrough,
                Alpha::kOpaque, 0);
  EXPECT_EQ(to, 0xFF102040);
}

}  // namespace
}  // namespace tandem::color
