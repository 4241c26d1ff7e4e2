// For tests of YUV 4:2:0: every coding, and the differences of samples from their expected values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "color/yuv.h"

namespace tandem::color::testing {

inline constexpr YuvMatrix kMatrices[] = {YuvMatrix::kBt709, YuvMatrix::kBt601, YuvMatrix::kBt2020};
inline constexpr YuvRange kRanges[] = {YuvRange::kFull, YuvRange::kLimited};
inline constexpr YuvLayout kLayouts[] = {YuvLayout::kNv12, YuvLayout::kThreePlanes};
inline constexpr ChromaFilter kFilters[] = {ChromaFilter::kNearest, ChromaFilter::kBilinear};

inline int At(const std::vector<std::byte>& bytes, std::size_t index) { return std::to_integer<int>(bytes[index]); }

struct Agreement {
  std::uint64_t samples = 0, exact = 0;
  int worst = 0;
  void Add(int got, int expected) {
    ++samples;
    exact += got == expected ? 1 : 0;
    worst = std::max(worst, std::abs(got - expected));
  }
  // Checks color/yuv.h's bound for all samples against the model.
  void Expect() const {
    EXPECT_GE(100.0 * static_cast<double>(exact) / static_cast<double>(samples), 99.7);
    EXPECT_LE(worst, 1);
  }
};

class CodingTest : public ::testing::TestWithParam<std::tuple<YuvMatrix, YuvRange>> {
 protected:
  const YuvCoding coding_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

inline auto EachCoding() { return ::testing::Combine(::testing::ValuesIn(kMatrices), ::testing::ValuesIn(kRanges)); }

}  // namespace tandem::color::testing
