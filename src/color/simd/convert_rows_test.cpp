#include "color/simd/convert_rows.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "color/convert.h"
#include "color/model.h"
#include "color/simd/testing/each_target.h"

namespace tandem::color {
namespace {

using simd::OnEachTarget;

constexpr Format kFormats[] = {Format::kR16G16B16A16Float, Format::kR10G10B10A2Unorm, Format::kR8G8B8A8Unorm,
                               Format::kR8G8B8A8UnormSrgb, Format::kB8G8R8A8Unorm,    Format::kB8G8R8X8Unorm,
                               Format::kB8G8R8A8UnormSrgb};

std::vector<std::uint32_t> Convert(const std::vector<std::byte>& pixels, Format format, Transfer transfer, Alpha alpha) {
  const auto width = static_cast<std::uint32_t>(pixels.size() / BytesPerPixel(format));
  std::vector<std::uint32_t> out(width);
  ConvertToBgra8(reinterpret_cast<std::byte*>(out.data()), 4ULL * width, {pixels.data(), pixels.size(), width, 1, format},
                 transfer, alpha);
  return out;
}

std::vector<std::byte> Bytes(const void* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), data, size);
  return bytes;
}

TEST(ConvertTest, TenBits_EveryValueOfEachChannel_EqualsTheModel) {
  std::vector<std::uint32_t> pixels;
  for (std::uint32_t v = 0; v < 1024; ++v) {
    pixels.push_back(v | ((1023 - v) << 10) | ((v * 7 % 1024) << 20) | ((v % 4) << 30));
  }
  OnEachTarget([&] {
    const auto out =
        Convert(Bytes(pixels.data(), pixels.size() * 4), Format::kR10G10B10A2Unorm, Transfer::kPassThrough, Alpha::kKeep);
    for (std::uint32_t v = 0; v < 1024; ++v) {
      ASSERT_EQ((out[v] >> 16) & 0xFF, UnormToUnorm8(v, 10)) << v;
      ASSERT_EQ((out[v] >> 8) & 0xFF, UnormToUnorm8(1023 - v, 10)) << v;
      ASSERT_EQ(out[v] & 0xFF, UnormToUnorm8(v * 7 % 1024, 10)) << v;
      ASSERT_EQ(out[v] >> 24, UnormToUnorm8(v % 4, 2)) << v;
    }
  });
}

TEST(ConvertTest, Half_EveryBitPattern_EqualsTheModel) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  for (const Transfer transfer : {Transfer::kPassThrough, Transfer::kLinearToSrgb}) {
    OnEachTarget([&] {
      const auto out = Convert(Bytes(halves.data(), halves.size() * 2), Format::kR16G16B16A16Float, transfer, Alpha::kKeep);
      for (std::size_t pixel = 0; pixel < out.size(); ++pixel) {
        ASSERT_EQ((out[pixel] >> 16) & 0xFF, HalfToUnorm8(halves[4 * pixel], transfer)) << pixel;
        ASSERT_EQ((out[pixel] >> 8) & 0xFF, HalfToUnorm8(halves[4 * pixel + 1], transfer)) << pixel;
        ASSERT_EQ(out[pixel] & 0xFF, HalfToUnorm8(halves[4 * pixel + 2], transfer)) << pixel;
        ASSERT_EQ(out[pixel] >> 24, HalfToUnorm8(halves[4 * pixel + 3], Transfer::kPassThrough)) << pixel;
      }
    });
  }
}

TEST(ConvertTest, EightBits_EveryValue_IsMovedUnchanged) {
  std::vector<std::uint32_t> pixels;
  for (std::uint32_t v = 0; v < 256; ++v) pixels.push_back(v | ((255 - v) << 8) | ((v ^ 0x55) << 16) | ((v ^ 0xAA) << 24));
  OnEachTarget([&] {
    const auto rgba =
        Convert(Bytes(pixels.data(), pixels.size() * 4), Format::kR8G8B8A8Unorm, Transfer::kPassThrough, Alpha::kKeep);
    const auto bgrx =
        Convert(Bytes(pixels.data(), pixels.size() * 4), Format::kB8G8R8X8Unorm, Transfer::kPassThrough, Alpha::kKeep);
    const auto bgra =
        Convert(Bytes(pixels.data(), pixels.size() * 4), Format::kB8G8R8A8Unorm, Transfer::kPassThrough, Alpha::kKeep);
    for (std::uint32_t v = 0; v < 256; ++v) {
      ASSERT_EQ(rgba[v], (v ^ 0x55) | ((255 - v) << 8) | (v << 16) | ((v ^ 0xAA) << 24));
      ASSERT_EQ(bgrx[v], pixels[v] | 0xFF000000);
      ASSERT_EQ(bgra[v], pixels[v]);
    }
  });
}

TEST(ConvertTest, OddGeometry_EqualsTheReferenceAndTouchesNothingElse) {
  for (const Format format : kFormats) {
    for (const std::uint32_t width : {1U, 3U, 17U, 255U, 257U, 515U}) {
      constexpr std::uint32_t kHeight = 3;
      const std::uint32_t pitch = width * BytesPerPixel(format) + 13;
      std::vector<std::byte> source(std::size_t{pitch} * kHeight + 1);
      for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 37 + (i >> 7));
      const ConversionSource from{source.data() + 1, pitch, width, kHeight, format};
      const std::uint32_t out_pitch = width * 4 + 7;
      for (const Alpha alpha : {Alpha::kKeep, Alpha::kOpaque}) {
        std::vector<std::byte> expected(std::size_t{out_pitch} * kHeight + 1, std::byte{0xEE});
        ConvertToBgra8Reference(expected.data() + 1, out_pitch, from, Transfer::kPassThrough, alpha);
        OnEachTarget([&] {
          std::vector<std::byte> got(expected.size(), std::byte{0xEE});
          ConvertToBgra8(got.data() + 1, out_pitch, from, Transfer::kPassThrough, alpha);
          ASSERT_EQ(got, expected) << ToString(format) << " width " << width;
        });
      }
    }
  }
}

}  // namespace
}  // namespace tandem::color
