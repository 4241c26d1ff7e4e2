// Writes the bytes of one tile of a coded strip.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "codec/tiles/tile_encoder.h"
#include "codec/tiles/tile_format.h"

namespace tandem::codec {

struct WrittenTile {
  std::uint8_t entry = 0;
  std::uint32_t bytes = 0;
};

// A palette may be shorter for a predicted tile with more bytes and at most so many steps from sample to sample.
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

// Most colours with which a palette is shorter than `bytes`: 0, or 2..kMaxPaletteColors.
[[nodiscard]] inline std::uint32_t MostColors(std::uint32_t bytes, std::uint32_t channels) {
  return kMostColors[channels][std::min(bytes, 127U)];
}

// Writes a tile of 2..kMaxPaletteColors colours.
[[nodiscard]] WrittenTile WritePalette(const TileColors& colors, std::uint32_t count, std::uint32_t channels, std::uint8_t* out);

// True if a predicted tile of `bytes` is no shorter than its samples, or cannot be written.
[[nodiscard]] constexpr bool IsBetterRaw(std::uint32_t bytes, std::uint32_t channels) {
  return bytes >= kTileSamples * channels || bytes > 1 + channels + kMaxPredictedExtra;
}

// Writes the rows of a slice that begins at `out`. `write_row` receives the row's number within the slice and the place of its
// entries. It moves `at` behind its tiles' bytes and counts unchanged tiles in the summary.
template <class WriteRow>
void WriteRows(const TileSliceJob& job, std::uint8_t* out, std::uint8_t*& at, TileSliceSummary& summary,
               const WriteRow& write_row) {
  const std::uint32_t tiles = TilesAcross(job.frame.width);
  at = out + sizeof(TileSliceHeader) + 4 * std::uint64_t{job.row_count};
  summary.tiles = tiles * job.row_count;
  for (std::uint32_t row = 0; row < job.row_count; ++row) {
    std::uint8_t* const entries = at;
    const std::uint32_t unchanged_before = summary.unchanged_tiles;
    at += tiles;
    write_row(row, entries);
    if (summary.unchanged_tiles - unchanged_before == tiles) at = entries;
    const auto bytes = static_cast<std::uint32_t>(at - entries);
    std::memcpy(out + sizeof(TileSliceHeader) + 4 * std::size_t{row}, &bytes, sizeof(bytes));
  }
  summary.bytes = static_cast<std::uint64_t>(at - out);
}

// Writes tile `index` in the shortest lossless form.
[[nodiscard]] WrittenTile WriteTile(const StripFunctions& strip, const StripPlanes& planes, const StripCode& code,
                                    std::uint32_t channels, std::uint32_t index, std::uint8_t* out);

// Writes a tile of one colour, a byte for each channel; its entry is kEntryPredicted. Writes up to 5 bytes.
inline void WriteOneColor(std::uint32_t color, std::uint8_t* out) {
  out[0] = 0;
  std::memcpy(out + 1, &color, sizeof(color));
}

[[nodiscard]] constexpr std::uint8_t PredictedEntry(std::uint32_t bytes, std::uint32_t channels) {
  return static_cast<std::uint8_t>(kEntryPredicted + bytes - 1 - channels);
}

}  // namespace tandem::codec
