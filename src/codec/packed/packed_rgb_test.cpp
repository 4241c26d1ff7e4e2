#include "codec/packed/packed_rgb.h"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "color/simd/testing/each_target.h"

namespace tandem::codec {

void PrintTo(PackedRgb packing, std::ostream* out) { *out << (packing == PackedRgb::k24 ? 24 : 30) << " bits"; }

namespace {

using Bytes = std::vector<std::byte>;

class PackedRgbTest : public ::testing::TestWithParam<PackedRgb> {};

// Buffers have exactly the documented size, so that a sanitizer sees any excess byte.
TEST_P(PackedRgbTest, AnyWidth_ComesBackWithoutItsFourthChannel) {
  const PackedRgb packing = GetParam();
  const std::uint32_t mask = packing == PackedRgb::k24 ? 0xFFFFFF : 0x3FFFFFFF;
  std::mt19937 random(3);
  color::simd::OnEachTarget([&] {
    for (std::uint32_t width = 1; width < 40; ++width) {
      constexpr std::uint32_t kHeight = 3;
      std::vector<std::uint32_t> pixels(width * kHeight);
      for (std::uint32_t& pixel : pixels) pixel = static_cast<std::uint32_t>(random());
      const std::uint64_t packed_pitch = PackedRowBytes(packing, width);
      Bytes packed(packed_pitch * kHeight);
      PackRgb(packing, packed.data(), packed_pitch, reinterpret_cast<const std::byte*>(pixels.data()), 4ULL * width, width,
              kHeight);
      std::vector<std::uint32_t> back(pixels.size());
      UnpackRgb(packing, reinterpret_cast<std::byte*>(back.data()), 4ULL * width, packed.data(), packed_pitch, width, kHeight);
      for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_EQ(back[i], pixels[i] | ~mask) << width;
    }
  });
}

TEST(PackedRgb, Packed24_IsThreeBytesAPixel) {
  const std::vector<std::uint32_t> pixels = {0x00030201, 0xFF060504, 0x12090807, 0x340C0B0A, 0x560F0E0D};
  Bytes packed(PackedRowBytes(PackedRgb::k24, 5));
  PackRgb(PackedRgb::k24, packed.data(), packed.size(), reinterpret_cast<const std::byte*>(pixels.data()), 20, 5, 1);
  ASSERT_EQ(packed.size(), 24U);
  for (std::uint8_t i = 0; i < 15; ++i) EXPECT_EQ(packed[i], std::byte{static_cast<std::uint8_t>(i + 1)});
}

TEST(PackedRgb, Packed30_IsFifteenBytesForFourPixels) {
  EXPECT_EQ(PackedRowBytes(PackedRgb::k30, 1920), 1920U / 4 * 15);
  const std::vector<std::uint32_t> pixels = {0x3FFFFFFF, 0, 0x3FFFFFFF, 0xC0000000};
  Bytes packed(15);
  PackRgb(PackedRgb::k30, packed.data(), packed.size(), reinterpret_cast<const std::byte*>(pixels.data()), 16, 4, 1);
  std::uint32_t ones = 0;
  for (std::uint32_t bit = 0; bit < 120; ++bit) {
    const bool set = (std::to_integer<unsigned>(packed[bit / 8]) >> bit % 8 & 1U) != 0;
    EXPECT_EQ(set, bit / 30 % 2 == 0) << bit;
    ones += set ? 1 : 0;
  }
  EXPECT_EQ(ones, 60U);
}

INSTANTIATE_TEST_SUITE_P(Packings, PackedRgbTest, ::testing::Values(PackedRgb::k24, PackedRgb::k30),
                         [](const auto& p) { return p.param == PackedRgb::k24 ? "Bits24" : "Bits30"; });

}  // namespace
}  // namespace tandem::codec
