// One tile of a coded strip to bytes.
#pragma once

#include <cstdint>

#include "codec/tile_format.h"

namespace tandem::codec {

struct WrittenTile {
  std::uint8_t entry = 0;
  std::uint32_t bytes = 0;
};

// Whether a tile that takes so many bytes as predicted may have so few colours that a palette is shorter.
[[nodiscard]] constexpr bool MayHavePalette(std::uint64_t bytes, std::uint64_t steps) {
  constexpr std::uint64_t kWorthBytes = 28;  // above this a palette may be shorter
  constexpr std::uint64_t kFewSteps = 20;    // above this there are hardly ever few colours
  return bytes > kWorthBytes && steps <= kFewSteps;
}

// The most colours with which a palette is shorter than so many bytes: 0, or 2..kMaxPaletteColors.
[[nodiscard]] std::uint32_t MostColors(std::uint32_t bytes, std::uint32_t channels);

// Writes a tile of 2..kMaxPaletteColors colours.
[[nodiscard]] WrittenTile WritePalette(const TileColors& colors, std::uint32_t count, std::uint32_t channels, std::uint8_t* out);

// Whether a predicted tile of so many bytes is no shorter than its samples, or cannot be written.
[[nodiscard]] constexpr bool IsBetterRaw(std::uint32_t bytes, std::uint32_t channels) {
  return bytes >= kTileSamples * channels || bytes > 1 + channels + kMaxPredictedExtra;
}

// Writes tile `index` the shortest way that loses nothing.
[[nodiscard]] WrittenTile WriteTile(const StripFunctions& strip, const StripPlanes& planes, const StripCode& code,
                                    std::uint32_t channels, std::uint32_t index, std::uint8_t* out);

// Writes it in one colour, the mean of its samples.
[[nodiscard]] WrittenTile WriteMean(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint8_t* out);

[[nodiscard]] constexpr std::uint8_t PredictedEntry(std::uint32_t bytes, std::uint32_t channels) {
  return static_cast<std::uint8_t>(kEntryPredicted + bytes - 1 - channels);
}

}  // namespace tandem::codec
