#include "color/yuv.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "color/simd/testing/each_target.h"
#include "color/testing/yuv_codings.h"
#include "color/yuv_model.h"

namespace tandem::color {
namespace {

using testing::Agreement;
using testing::At;
using testing::CodingTest;
using testing::kFilters;
using testing::kLayouts;
using testing::kRanges;

std::vector<std::byte> RandomBytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The planes of one surface, each with its own pitch and guard bytes around it.
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
  luma.Expect();
  chroma.Expect();
}

INSTANTIATE_TEST_SUITE_P(All, CodingTest, testing::EachCoding());

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

// Size above which pixels are written past the caches.
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

// Chroma steps between columns 1 and 2. No sample is centred there, so each gets three quarters of its nearer sample.
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
