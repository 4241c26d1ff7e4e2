// Every colour of eight bits and every Y, U and V, in every coding. Under a sanitizer every 17th red and U: it checks accesses,
// which are equal for all values, and takes minutes.
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/sanitizer.h"
#include "color/simd/testing/each_target.h"
#include "color/simd/yuv_encode_rows.h"
#include "color/testing/yuv_codings.h"
#include "color/yuv_fixed.h"
#include "color/yuv_model.h"

namespace tandem::color {
namespace {

using testing::Agreement;
using testing::At;

constexpr std::uint32_t kStep = kUnderSanitizer ? 17 : 1;

class EveryColor : public testing::CodingTest {};

// One red with all greens and blues: a row pair for each green, two pixels for each blue.
struct Greens {
  static constexpr std::uint32_t kRows = 256;
  static constexpr std::uint32_t kWidth = 512;

  explicit Greens(std::uint32_t red) : pixels(std::size_t{kRows} * kWidth * 4) {
    for (std::size_t at = 0; at < pixels.size(); at += 4) {
      const std::size_t x = at / 4 % kWidth;
      const std::array bytes = {static_cast<std::byte>(x / 2), static_cast<std::byte>(at / 4 / kWidth),
                                static_cast<std::byte>(red), static_cast<std::byte>(x)};
      std::memcpy(pixels.data() + at, bytes.data(), bytes.size());
    }
  }
  std::vector<std::byte> pixels;
};

struct Samples {
  std::vector<std::byte> y = std::vector<std::byte>(std::size_t{Greens::kRows} * Greens::kWidth);
  std::vector<std::byte> uv = y;
  bool operator==(const Samples&) const = default;

  template <class Encode>
  void Take(const Greens& greens, Encode&& encode) {
    for (std::size_t row = 0; row < Greens::kRows; ++row) {
      const std::byte* const pixels = greens.pixels.data() + row * Greens::kWidth * 4;
      std::byte* const luma = y.data() + row * Greens::kWidth;
      encode(EncodeRowPair{pixels, pixels, luma, luma, uv.data() + row * Greens::kWidth, nullptr, Greens::kWidth});
    }
  }
};

TEST_P(EveryColor, Encoded_EqualsTheReferenceOnEachTarget) {
  const EncodeWeights& weights = EncodeWeightsOf(coding_);
  Samples expected;
  Samples got;
  for (std::uint32_t red = 0; red < 256; red += kStep) {
    const Greens greens(red);
    expected.Take(greens, [&](const EncodeRowPair& rows) { EncodeRowPairReference(rows, weights); });
    simd::OnEachTarget([&] {
      const auto encode = simd::EncodeRowPairFunctionFor(simd::Stores::kCached);
      got.Take(greens, [&](const EncodeRowPair& rows) { encode(rows, weights); });
      ASSERT_TRUE(got == expected) << red;
    });
  }
}

TEST_P(EveryColor, Encoded_IsTheModelsOrOneOff) {
  const EncodeWeights& weights = EncodeWeightsOf(coding_);
  Agreement luma;
  Agreement chroma;
  for (std::uint32_t red = 0; red < 256; red += kStep) {
    Samples got;
    got.Take(Greens(red), [&](const EncodeRowPair& rows) { EncodeRowPairReference(rows, weights); });
    for (std::uint32_t at = 0; at < Greens::kRows * Greens::kWidth; at += 2) {
      const auto model = YuvModel(red, at / Greens::kWidth, at % Greens::kWidth / 2, coding_);
      luma.Add(At(got.y, at), RoundToByte(model[0]));
      chroma.Add(At(got.uv, at), RoundToByte(model[1]));
      chroma.Add(At(got.uv, at + 1), RoundToByte(model[2]));
    }
  }
  luma.Expect();
  chroma.Expect();
}

// Limited range has fewer levels than colours, so a colour may come back with an error of 2.
TEST_P(EveryColor, ComesBackWithinOneOrOfTheLimitedRangeTwo) {
  const EncodeWeights& weights = EncodeWeightsOf(coding_);
  const int allowed = coding_.range == YuvRange::kFull ? 1 : 2;
  int worst = 0;
  Samples coded;
  std::vector<std::byte> back(std::size_t{Greens::kWidth} * 4);
  for (std::uint32_t red = 0; red < 256; red += kStep) {
    const Greens greens(red);
    coded.Take(greens, [&](const EncodeRowPair& rows) { EncodeRowPairReference(rows, weights); });
    for (std::size_t row = 0; row < Greens::kRows; ++row) {
      const Yuv420<const std::byte> planes{
          YuvLayout::kNv12, coded.y.data() + row * Greens::kWidth, coded.uv.data() + row * Greens::kWidth, nullptr, 0, 0};
      DecodeYuv420({back.data(), back.size(), Greens::kWidth, 1}, planes, coding_, ChromaFilter::kNearest);
      for (std::size_t i = 0; i < back.size(); ++i) {
        if (i % 4 != 3) worst = std::max(worst, std::abs(At(back, i) - At(greens.pixels, row * back.size() + i)));
      }
    }
  }
  EXPECT_LE(worst, allowed);
}

// One U with all V and Y: V changes with the column of chroma, Y within each and with the row.
struct OneU {
  static constexpr std::uint32_t kWidth = 512;
  static constexpr std::uint32_t kHeight = 128;
  static constexpr std::uint64_t kPixelBytes = std::uint64_t{kWidth} * kHeight * 4;

  OneU() : y(std::size_t{kWidth} * kHeight), uv(kWidth) {
    for (std::uint32_t row = 0; row < kHeight; ++row) {
      for (std::uint32_t x = 0; x < kWidth; ++x) y[row * kWidth + x] = static_cast<std::byte>(Luma(row, x));
    }
  }
  static std::uint32_t Luma(std::uint32_t row, std::uint32_t x) { return row * 2 + x % 2; }
  void Set(std::uint32_t u) {
    for (std::uint32_t v = 0; v < 256; ++v) {
      uv[2 * v] = static_cast<std::byte>(u);
      uv[2 * v + 1] = static_cast<std::byte>(v);
    }
  }
  // All rows have the same chroma.
  [[nodiscard]] Yuv420<const std::byte> Planes() const { return {YuvLayout::kNv12, y.data(), uv.data(), nullptr, kWidth, 0}; }
  static Bgra8<std::byte> Pixels(std::vector<std::byte>& pixels) { return {pixels.data(), kWidth * 4ULL, kWidth, kHeight}; }

  std::vector<std::byte> y, uv;
};

TEST_P(EveryColor, Decoded_EqualsTheReferenceOnEachTarget) {
  OneU planes;
  std::vector<std::byte> expected(OneU::kPixelBytes);
  std::vector<std::byte> got(OneU::kPixelBytes);
  for (std::uint32_t u = 0; u < 256; u += kStep) {
    planes.Set(u);
    for (const ChromaFilter filter : testing::kFilters) {
      DecodeYuv420Reference(OneU::Pixels(expected), planes.Planes(), coding_, filter);
      simd::OnEachTarget([&] {
        DecodeYuv420(OneU::Pixels(got), planes.Planes(), coding_, filter);
        ASSERT_TRUE(got == expected) << u;
      });
    }
  }
}

TEST_P(EveryColor, Decoded_IsTheModelsOrOneOff) {
  OneU planes;
  std::vector<std::byte> got(OneU::kPixelBytes);
  Agreement agreement;
  for (std::uint32_t u = 0; u < 256; u += kStep) {
    planes.Set(u);
    DecodeYuv420Reference(OneU::Pixels(got), planes.Planes(), coding_, ChromaFilter::kNearest);
    for (std::uint32_t row = 0; row < OneU::kHeight; ++row) {
      for (std::uint32_t x = 0; x < OneU::kWidth; ++x) {
        const auto model = RgbModel(OneU::Luma(row, x), u, x / 2, coding_);
        for (std::size_t c = 0; c < 3; ++c) {
          agreement.Add(At(got, 4 * (std::size_t{row} * OneU::kWidth + x) + 2 - c), RoundToByte(model[c]));
        }
      }
    }
  }
  agreement.Expect();
}

INSTANTIATE_TEST_SUITE_P(Yuv, EveryColor, testing::EachCoding());

}  // namespace
}  // namespace tandem::color
