#include "color/yuv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "color/simd/testing/each_target.h"
#include "color/simd/yuv_encode_rows.h"
#include "color/yuv_fixed.h"
#include "color/yuv_model.h"

namespace tandem::color {
namespace {

constexpr YuvMatrix kMatrices[] = {YuvMatrix::kBt709, YuvMatrix::kBt601, YuvMatrix::kBt2020};
constexpr YuvRange kRanges[] = {YuvRange::kFull, YuvRange::kLimited};
constexpr YuvLayout kLayouts[] = {YuvLayout::kNv12, YuvLayout::kThreePlanes};
constexpr ChromaFilter kFilters[] = {ChromaFilter::kNearest, ChromaFilter::kBilinear};

int At(const std::vector<std::byte>& bytes, std::size_t index) { return std::to_integer<int>(bytes[index]); }

std::vector<std::byte> RandomBytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The planes of one surface, with pitches of their own and guard bytes around.
struct Planes {
  Planes(YuvLayout of, std::uint32_t width, std::uint32_t height, std::uint64_t slack)
      : layout(of),
        y_pitch(width + slack),
        chroma_pitch(ChromaExtent(width) * (of == YuvLayout::kNv12 ? 2ULL : 1ULL) + slack),
        y(y_pitch * height + 1, std::byte{0xEE}),
        u(chroma_pitch * ChromaExtent(height) + 1, std::byte{0xEE}),
        v(u) {}
  bool operator==(const Planes&) const = default;

  Yuv420<std::byte> Writable() { return {layout, y.data() + 1, u.data() + 1, v.data() + 1, y_pitch, chroma_pitch}; }
  [[nodiscard]] Yuv420<const std::byte> Readable() const {
    return {layout, y.data() + 1, u.data() + 1, v.data() + 1, y_pitch, chroma_pitch};
  }
  [[nodiscard]] std::array<int, 3> Sample(std::uint32_t x, std::uint32_t row) const {
    const std::size_t c = 1 + row / 2 * chroma_pitch;
    if (layout == YuvLayout::kNv12) return {At(y, 1 + row * y_pitch + x), At(u, c + x / 2 * 2), At(u, c + x / 2 * 2 + 1)};
    return {At(y, 1 + row * y_pitch + x), At(u, c + x / 2), At(v, c + x / 2)};
  }

  YuvLayout layout;
  std::uint64_t y_pitch, chroma_pitch;
  std::vector<std::byte> y, u, v;
};

// All blues of one red and green, each for two pixels.
std::vector<std::byte> BluesOf(std::uint32_t red, std::uint32_t green) {
  std::vector<std::byte> row(512 * 4);
  for (std::uint32_t x = 0; x < 512; ++x) {
    row[4 * x] = static_cast<std::byte>(x / 2);
    row[4 * x + 1] = static_cast<std::byte>(green);
    row[4 * x + 2] = static_cast<std::byte>(red);
    row[4 * x + 3] = static_cast<std::byte>(x);
  }
  return row;
}

struct Row {
  std::vector<std::byte> y = std::vector<std::byte>(512), uv = std::vector<std::byte>(512);
  EncodeRowPair From(const std::vector<std::byte>& pixels) {
    return {pixels.data(), pixels.data(), y.data(), y.data(), uv.data(), nullptr, 512, 0};
  }
};

struct Agreement {
  std::uint64_t samples = 0, exact = 0;
  int worst = 0;
  void Add(int got, int expected) {
    ++samples;
    exact += got == expected ? 1 : 0;
    worst = std::max(worst, std::abs(got - expected));
  }
  [[nodiscard]] double Percent() const { return 100.0 * static_cast<double>(exact) / static_cast<double>(samples); }
};

class CodingTest : public ::testing::TestWithParam<std::tuple<YuvMatrix, YuvRange>> {
 protected:
  const YuvCoding coding_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

TEST_P(CodingTest, EncodeYuv420_EveryFlatColor_EqualsTheReference) {
  const EncodeWeights& weights = EncodeWeightsOf(coding_);
  const auto encode = simd::EncodeRowPairFunctionFor(simd::Stores::kCached);
  for (std::uint32_t red_green = 0; red_green < 65536; ++red_green) {
    const auto pixels = BluesOf(red_green >> 8, red_green & 255);
    Row got;
    Row expected;
    encode(got.From(pixels), weights);
    EncodeRowPairReference(expected.From(pixels), weights);
    ASSERT_EQ(got.y, expected.y) << red_green;
    ASSERT_EQ(got.uv, expected.uv) << red_green;
  }
}

TEST_P(CodingTest, EncodeYuv420_FlatColors_AreTheModelsOrOneOff) {
  const EncodeWeights& weights = EncodeWeightsOf(coding_);
  Agreement luma;
  Agreement chroma;
  for (std::uint32_t red_green = 0; red_green < 65536; red_green += 7) {
    const auto pixels = BluesOf(red_green >> 8, red_green & 255);
    Row got;
    EncodeRowPairReference(got.From(pixels), weights);
    for (std::uint32_t blue = 0; blue < 256; ++blue) {
      const auto model = YuvModel(red_green >> 8, red_green & 255, blue, coding_);
      luma.Add(At(got.y, 2 * blue), RoundToByte(model[0]));
      chroma.Add(At(got.uv, 2 * blue), RoundToByte(model[1]));
      chroma.Add(At(got.uv, 2 * blue + 1), RoundToByte(model[2]));
    }
  }
  EXPECT_GE(luma.Percent(), 99.7);
  EXPECT_GE(chroma.Percent(), 99.7);
  EXPECT_LE(std::max(luma.worst, chroma.worst), 1);
}

TEST_P(CodingTest, EncodeYuv420_RandomPixels_AreTheModelsOrOneOff) {
  constexpr std::uint32_t kExtent = 600;
  const auto pixels = RandomBytes(std::size_t{kExtent} * kExtent * 4, 3);
  Planes got(YuvLayout::kNv12, kExtent, kExtent, 0);
  EncodeYuv420(got.Writable(), {pixels.data(), kExtent * 4, kExtent, kExtent}, coding_);
  Agreement luma;
  Agreement chroma;
  for (std::uint32_t y = 0; y < kExtent; ++y) {
    for (std::uint32_t x = 0; x < kExtent; ++x) {
      std::array<double, 3> sum{};
      for (const std::uint32_t at :
           {y * kExtent + x, y * kExtent + (x ^ 1), (y ^ 1) * kExtent + x, (y ^ 1) * kExtent + (x ^ 1)}) {
        for (std::size_t c = 0; c < 3; ++c) sum[c] += At(pixels, 4 * std::size_t{at} + c);
      }
      const std::size_t own = 4 * (std::size_t{y} * kExtent + x);
      const auto sample = got.Sample(x, y);
      luma.Add(sample[0], RoundToByte(YuvModel(At(pixels, own + 2), At(pixels, own + 1), At(pixels, own), coding_)[0]));
      const auto model = YuvModel(sum[2] / 4, sum[1] / 4, sum[0] / 4, coding_);
      chroma.Add(sample[1], RoundToByte(model[1]));
      chroma.Add(sample[2], RoundToByte(model[2]));
    }
  }
  EXPECT_GE(luma.Percent(), 99.7);
  EXPECT_GE(chroma.Percent(), 99.7);
  EXPECT_LE(std::max(luma.worst, chroma.worst), 1);
}

// Limited range has fewer levels than colours: there one colour comes back as far off as 2.
TEST_P(CodingTest, DecodeYuv420_EveryFlatColor_ComesBackWithinOne) {
  const auto encode = simd::EncodeRowPairFunctionFor(simd::Stores::kCached);
  const int allowed = coding_.range == YuvRange::kFull ? 1 : 2;
  int worst = 0;
  std::vector<std::byte> back(2048);
  for (std::uint32_t red_green = 0; red_green < 65536; ++red_green) {
    const auto pixels = BluesOf(red_green >> 8, red_green & 255);
    Row coded;
    encode(coded.From(pixels), EncodeWeightsOf(coding_));
    const Yuv420<const std::byte> planes{YuvLayout::kNv12, coded.y.data(), coded.uv.data(), nullptr, 512, 512};
    DecodeYuv420({back.data(), 2048, 512, 1}, planes, coding_, ChromaFilter::kNearest);
    for (std::size_t i = 0; i < back.size(); ++i) {
      if (i % 4 != 3) worst = std::max(worst, std::abs(At(back, i) - At(pixels, i)));
    }
  }
  EXPECT_LE(worst, allowed);
}

TEST_P(CodingTest, DecodeYuv420_ColorsInTheGamut_AreTheModelsOrOneOff) {
  constexpr std::uint32_t kExtent = 512;
  auto pixels = RandomBytes(std::size_t{kExtent} * kExtent * 4, 5);
  Planes planes(YuvLayout::kThreePlanes, kExtent, kExtent, 0);
  EncodeYuv420(planes.Writable(), {pixels.data(), kExtent * 4, kExtent, kExtent}, coding_);
  DecodeYuv420({pixels.data(), kExtent * 4, kExtent, kExtent}, planes.Readable(), coding_, ChromaFilter::kNearest);
  Agreement agreement;
  for (std::uint32_t y = 0; y < kExtent; ++y) {
    for (std::uint32_t x = 0; x < kExtent; ++x) {
      const auto sample = planes.Sample(x, y);
      const auto model = RgbModel(sample[0], sample[1], sample[2], coding_);
      for (std::size_t c = 0; c < 3; ++c)
        agreement.Add(At(pixels, 4 * (std::size_t{y} * kExtent + x) + 2 - c), RoundToByte(model[c]));
    }
  }
  EXPECT_GE(agreement.Percent(), 99.7);
  EXPECT_LE(agreement.worst, 1);
}

INSTANTIATE_TEST_SUITE_P(All, CodingTest, ::testing::Combine(::testing::ValuesIn(kMatrices), ::testing::ValuesIn(kRanges)));

TEST(YuvTest, OddGeometry_EqualsTheReferenceAndTouchesNothingElse) {
  for (const std::uint32_t width : {1U, 2U, 3U, 17U, 63U, 65U, 131U, 300U}) {
    for (const std::uint32_t height : {1U, 2U, 5U}) {
      const std::uint64_t pitch = width * 4 + 7;
      const auto pixels = RandomBytes(pitch * height + 1, width);
      const Bgra8<const std::byte> from{pixels.data() + 1, pitch, width, height};
      for (const YuvLayout layout : kLayouts) {
        for (const YuvRange range : kRanges) {
          const YuvCoding coding{YuvMatrix::kBt709, range};
          Planes expected(layout, width, height, 5);
          EncodeYuv420Reference(expected.Writable(), from, coding);
          simd::OnEachTarget([&] {
            Planes got(layout, width, height, 5);
            EncodeYuv420(got.Writable(), from, coding);
            ASSERT_EQ(got, expected) << width << " x " << height;
          });
          for (const ChromaFilter filter : kFilters) {
            std::vector<std::byte> decoded(pixels.size(), std::byte{0xEE});
            DecodeYuv420Reference({decoded.data() + 1, pitch, width, height}, expected.Readable(), coding, filter);
            simd::OnEachTarget([&] {
              std::vector<std::byte> got(pixels.size(), std::byte{0xEE});
              DecodeYuv420({got.data() + 1, pitch, width, height}, expected.Readable(), coding, filter);
              ASSERT_EQ(got, decoded) << width << " x " << height;
            });
          }
        }
      }
    }
  }
}

// Past the size from which pixels are written around the caches.
TEST(YuvTest, LargeSurface_EqualsTheReference) {
  constexpr std::uint32_t kWidth = 1000;
  constexpr std::uint32_t kHeight = 401;
  constexpr std::uint64_t kPitch = 4096;
  constexpr std::uint64_t kPlanePitch = 1024;
  struct alignas(64) Line {
    std::byte bytes[64];
    bool operator==(const Line&) const = default;
  };
  using Lines = std::vector<Line>;
  const auto planes = [](Lines& lines, YuvLayout layout) {
    std::byte* const y = lines.data()->bytes;
    std::byte* const u = y + kPlanePitch * kHeight;
    return Yuv420<std::byte>{layout, y, u, u + kPlanePitch * ChromaExtent(kHeight), kPlanePitch, kPlanePitch};
  };
  const auto pixels = RandomBytes(kPitch * kHeight, 9);
  for (const YuvLayout layout : kLayouts) {
    Lines coded(kPlanePitch * kHeight * 2 / 64 + 32);
    EncodeYuv420Reference(planes(coded, layout), {pixels.data(), kPitch, kWidth, kHeight}, {});
    const auto at = planes(coded, layout);
    const Yuv420<const std::byte> from{layout, at.y, at.u, at.v, at.y_pitch, at.chroma_pitch};
    Lines decoded(kPitch * kHeight / 64);
    DecodeYuv420Reference({decoded.data()->bytes, kPitch, kWidth, kHeight}, from, {}, ChromaFilter::kNearest);
    simd::OnEachTarget([&] {
      Lines got_coded(coded.size());
      EncodeYuv420(planes(got_coded, layout), {pixels.data(), kPitch, kWidth, kHeight}, {});
      EXPECT_TRUE(got_coded == coded);
      Lines got(decoded.size());
      DecodeYuv420({got.data()->bytes, kPitch, kWidth, kHeight}, from, {}, ChromaFilter::kNearest);
      EXPECT_TRUE(got == decoded);
    });
  }
}

// A step of chroma between columns 1 and 2, which are the centres of no sample: three quarters of the nearer one each.
TEST(YuvTest, BilinearChroma_IsSitedAtTheCentreOfItsPixels) {
  const std::vector<std::byte> y(4, std::byte{128});
  const std::vector<std::byte> uv = {std::byte{128}, std::byte{128}, std::byte{128}, std::byte{168}};
  std::vector<std::byte> pixels(16);
  DecodeYuv420({pixels.data(), 16, 4, 1}, {YuvLayout::kNv12, y.data(), uv.data(), nullptr, 4, 4}, {}, ChromaFilter::kBilinear);
  for (const auto& [x, v] : {std::pair{0, 0}, {1, 10}, {2, 30}, {3, 40}}) {
    EXPECT_EQ(At(pixels, 4 * static_cast<std::size_t>(x) + 2), RoundToByte(128 + 1.5748 * v)) << x;
  }
}

}  // namespace
}  // namespace tandem::color
