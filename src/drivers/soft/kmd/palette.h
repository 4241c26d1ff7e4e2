// The colours that the indexes of P8 surfaces stand for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "color/format.h"

namespace tandem::soft {

inline constexpr std::uint32_t kPaletteEntries = 256;
// Pixels of kPaletteColors: one palette for each VidPn source (DxgkDdiSetPalette), black at first.
using Palette = std::array<std::uint32_t, kPaletteEntries>;
inline constexpr color::Format kPaletteColors = color::Format::kB8G8R8A8Unorm;
inline constexpr std::uint32_t kOpaqueBlack = 0xFF000000;

// Rows of `width` indexes become `rows` * `width` pixels of kPaletteColors, one behind the other.
inline void ColorIndexes(const Palette& palette, std::uint32_t* colors, const std::byte* indexes, std::uint64_t index_pitch,
                         std::uint64_t width, std::uint64_t rows) {
  for (std::uint64_t y = 0; y < rows; ++y) {
    const std::byte* const row = indexes + y * index_pitch;
    for (std::uint64_t x = 0; x < width; ++x) *colors++ = palette[std::to_integer<std::size_t>(row[x])];
  }
}

}  // namespace tandem::soft
