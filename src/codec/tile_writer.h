// One tile of a coded strip to bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/tile_format.h"

namespace tandem::codec {

struct WrittenTile {
  std::uint8_t entry = 0;
  std::uint32_t bytes = 0;
};

// A tile that takes more bytes than this as predicted, and has no more steps than this from a sample to the next, may have so few
// colours that a palette is shorter.
inline constexpr std::uint32_t kPaletteWorthBytes = 28;
inline constexpr std::uint32_t kPaletteMostSteps = 20;

[[nodiscard]] constexpr bool MayHavePalette(std::uint64_t bytes, std::uint64_t steps) {
  return bytes > kPaletteWorthBytes && steps <= kPaletteMostSteps;
}

inline constexpr auto kMostColors = [] {
  std::array<std::array<std::uint8_t, 128>, kMaxChannels + 1> most{};
  for (std::uint32_t channels = 1; channels <= kMaxChannels; ++channels) {
    for (std::uint32_t limit = 0; limit < 128; ++limit) {
      for (std::uint32_t colors = 2; colors <= kMaxPaletteColors; ++colors) {
        if (channels * colors + 8 * PaletteIndexBits(colors) < limit) most[channels][limit] = static_cast<std::uint8_t>(colors);
      }
    }
  }
  return most;
}();

// The most colours with which a palette is shorter than so many bytes: 0, or 2..kMaxPaletteColors.
[[nodiscard]] inline std::uint32_t MostColors(std::uint32_t bytes, std::uint32_t channels) {
  return kMostColors[channels][std::min(bytes, 127U)];
}

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
