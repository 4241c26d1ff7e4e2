// Converts one row of half floats by tables, for the chosen instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "color/dither.h"

namespace tandem::color::simd {

// Each of the 65536 codes has a value, so every row of bits is valid.
struct HalfConversion {
  const std::uint16_t* colors = nullptr;         // ChannelTable() or DitherTable()
  const std::uint16_t* alphas = nullptr;         // ChannelTable()
  std::array<std::uint8_t, 4> shift{};           // PixelLayout::shift of the 4-byte destination
  const DitherThresholds* thresholds = nullptr;  // for a DitherTable(); null: no dithering
  std::uint32_t opaque = 0;                      // or-ed into each pixel
};

// Converts `width` R16G16B16A16 pixels to 4 bytes each. Any alignment; no overlap.
void HalfRow(std::byte* destination, const std::byte* source, std::uint32_t width, const HalfConversion& conversion);

}  // namespace tandem::color::simd
