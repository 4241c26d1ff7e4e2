// The integer weights shared by P010's reference and SIMD, and the unit of conversion of one call. Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/p010.h"

namespace tandem::color {

// Luma weights are 2^20 times the factors of red, green and blue and add up to 2^20. Chroma weights are 2^19 times those of B -
// G and R - G, so that greys have none and sums of four fit 32 bits. Decoding weights are 2^20 times their factors.
struct P010Weights {
  std::int32_t luma_offset;
  std::int32_t luma_red, luma_green, luma_blue;
  std::int32_t u_blue, u_red, v_blue, v_red;
  std::int32_t from_luma, red_v, green_u, green_v, blue_u;
};

inline constexpr int kP010LumaShift = 20;
inline constexpr int kP010ChromaShift = 19;
inline constexpr std::int32_t kP010Samples = 1023;
inline constexpr std::int32_t kP010Middle = 512;
inline constexpr int kP010Unused = 6;  // lower bits of a word

// Static storage.
[[nodiscard]] const P010Weights& P010WeightsOf(YuvCoding coding);

// Two rows of pixels; twice the last row if the height is odd.
struct P010RowPair {
  const std::byte* top;
  const std::byte* bottom;
  std::byte* y_top;
  std::byte* y_bottom;
  std::byte* uv;
  std::uint32_t width;
};
void EncodeP010RowsReference(const P010RowPair& rows, const P010Weights& weights);

// One row of pixels, full range, chroma by nearest.
struct P010Row {
  const std::byte* y;
  const std::byte* uv;
  std::byte* pixels;
  std::uint32_t width;
};
void DecodeP010RowReference(const P010Row& row, const P010Weights& weights);

}  // namespace tandem::color
