// The integer weights shared by reference and SIMD, and the unit of conversion of one row function's call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/yuv.h"

namespace tandem::color {

// Luma: ((B * blue + G * green) * blue_green_multiplier + R * red * red_multiplier) / 2^21. Blue and green share a multiplier
// and their sum of products fits 15 bits, so two multiplications of pairs make a pixel. blue : green is the matrix's ratio, to
// 1 in 1000 or better. Chroma: sums of four B - G and R - G, times 2^5, times these weights, are U and V times 2^22.
struct EncodeWeights {
  std::int8_t blue, green, red;
  std::int16_t blue_green_multiplier, red_multiplier;
  std::int16_t luma_offset;
  std::int16_t u_blue, u_red, v_blue, v_red;
};

inline constexpr int kLumaShift = 21;
inline constexpr int kChromaShift = 22;

[[nodiscard]] const EncodeWeights& EncodeWeightsOf(YuvCoding coding);

// Full range, nearest: one rounded chroma term is added to the unchanged luma value, which equals rounding the sum. red_v and
// blue_u are 2^14, green_u and green_v 2^15 times the matrix, for chroma around 0 times 2^8.
struct TermWeights {
  std::int16_t red_v, blue_u, green_u, green_v;
};

inline constexpr int kRedBlueShift = 22;
inline constexpr int kGreenShift = 23;

[[nodiscard]] const TermWeights& TermWeightsOf(YuvMatrix matrix);

// All other decodings: 2^20 times the matrix, for chroma around 0 times 16 and luma above its offset.
struct SumWeights {
  std::int32_t luma_offset;
  std::int32_t luma, red_v, blue_u, green_u, green_v;  // chroma: for 2^16
};

inline constexpr int kSumShift = 20;

[[nodiscard]] const SumWeights& SumWeightsOf(YuvCoding coding);

// True if decoding uses TermWeights.
[[nodiscard]] constexpr bool DecodesByTerms(YuvCoding coding, ChromaFilter filter) {
  return coding.range == YuvRange::kFull && filter == ChromaFilter::kNearest;
}

// Two rows of pixels and their row of chroma; twice the last row of pixels if the height is odd.
struct EncodeRowPair {
  const std::byte* top;
  const std::byte* bottom;
  std::byte* y_top;
  std::byte* y_bottom;
  std::byte* u;  // NV12: pairs of U and V
  std::byte* v;  // NV12: null
  std::uint32_t width;
  const std::byte* next_top = nullptr;  // the top row of the next pair, which is prefetched; null: none
};

struct DecodeRowPair {
  const std::byte* y_top;
  const std::byte* y_bottom;
  const std::byte* u;
  const std::byte* v;
  std::byte* top;
  std::byte* bottom;
  std::uint32_t width;
  std::uint64_t y_ahead;
  std::uint64_t chroma_ahead;
};

// One row of pixels. The near chroma row counts three times, the far one once; without interpolation both are equal.
struct DecodeRow {
  const std::byte* y;
  const std::byte* u_near;
  const std::byte* u_far;
  const std::byte* v_near;  // NV12: null
  const std::byte* v_far;
  std::byte* pixels;
  std::uint32_t width;
};

void EncodeRowPairReference(const EncodeRowPair& rows, const EncodeWeights& weights);
void DecodeRowPairReference(const DecodeRowPair& rows, const TermWeights& weights);
void DecodeRowReference(const DecodeRow& row, const SumWeights& weights, ChromaFilter filter);

}  // namespace tandem::color
