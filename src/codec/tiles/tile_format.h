// The bytes of a tile-coded slice. All numbers are little-endian.
//
//   header                       TileSliceHeader
//   row table                    32 bits for each tile row: bytes of the row; 0: the whole row is unchanged
//   each other row               one entry byte for each tile, then the bytes of its tiles without gaps
//
// A tile's entry gives its kind and size, so that the tables alone determine where each tile begins:
//
//   kEntryUnchanged              no bytes: the samples of the reference frame
//   kEntryRepeated               no bytes: those of the last tile before it in the row that has any
//   kEntryRaw                    64 for each channel: the rows of each channel's plane
//   kEntryPalette + n - 2        n = 2..16 colours, a byte for each channel; then for each index bit 64 bits, one a sample
//   kEntryPredicted + n          1 + channels + n: a byte of predictor (bits 0..1), channels that are not flat (bits 2..5) and
//                                dropped bits (6..7, see kDroppedBits); the base of each channel; for each channel that is not
//                                flat three bytes, bit y of byte i being bit i of row y's width, 7 meaning 8; then each row's
//                                width in bytes of transposed residuals (tile_strip.h), channel after channel
//
// Tiles at the right and lower edge are whole: samples outside the surface repeat the last one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/tiles/tile_strip.h"

namespace tandem::codec {

inline constexpr std::uint32_t kTileSliceMagic = 0x32534454;  // "TDS2"

struct TileSliceHeader {
  std::uint32_t magic;
  std::uint16_t width, height;         // samples of the frame
  std::uint16_t first_row, row_count;  // the slice's tile rows
  std::uint8_t content;                // TileContent
  std::uint8_t reserved[3];            // 0
  std::uint32_t bytes;                 // bytes of the slice with its header
  std::uint32_t lossy_tiles;
  std::uint64_t frame;      // numbers grow; never 0
  std::uint64_t reference;  // frame of the unchanged tiles; 0: none
  std::uint64_t checksum;   // TileSliceChecksum
};
static_assert(sizeof(TileSliceHeader) == 48);

inline constexpr std::uint8_t kEntryUnchanged = 0;
inline constexpr std::uint8_t kEntryRepeated = 1;
inline constexpr std::uint8_t kEntryRaw = 2;
inline constexpr std::uint8_t kEntryPalette = 3;
inline constexpr std::uint8_t kEntryPredicted = 18;

static_assert(kEntryPredicted - kEntryPalette + 1 == kMaxPaletteColors);
inline constexpr std::uint32_t kMaxPredictedExtra = 255 - kEntryPredicted;

[[nodiscard]] constexpr std::uint32_t TilesAcross(std::uint32_t extent) { return (extent + kTileExtent - 1) / kTileExtent; }

[[nodiscard]] constexpr std::uint32_t PaletteIndexBits(std::uint32_t colors) {
  return static_cast<std::uint32_t>(std::bit_width(colors - 1));
}

// Indexed by channels and entry.
inline constexpr auto kTileBytes = [] {
  std::array<std::array<std::uint16_t, 256>, kMaxChannels + 1> bytes{};
  for (std::uint32_t channels = 1; channels <= kMaxChannels; ++channels) {
    bytes[channels][kEntryRaw] = static_cast<std::uint16_t>(kTileSamples * channels);
    for (std::uint32_t colors = 2; colors <= kMaxPaletteColors; ++colors) {
      bytes[channels][kEntryPalette + colors - 2] = static_cast<std::uint16_t>(channels * colors + 8 * PaletteIndexBits(colors));
    }
    for (std::uint32_t extra = 0; extra <= kMaxPredictedExtra; ++extra) {
      bytes[channels][kEntryPredicted + extra] = static_cast<std::uint16_t>(1 + channels + extra);
    }
  }
  return bytes;
}();

[[nodiscard]] constexpr std::uint32_t TileBytes(std::uint8_t entry, std::uint32_t channels) {
  return kTileBytes[channels][entry];
}

// Low bits of each sample that a predicted tile drops, indexed by bits 6..7 of its first byte.
inline constexpr std::uint32_t kDroppedBits[4] = {0, 1, 2, 4};

// Level of a tile: nothing dropped, kDroppedBits[level] dropped, or only the mean kept.
inline constexpr std::uint32_t kNothingDropped = 0;
inline constexpr std::uint32_t kMean = static_cast<std::uint32_t>(std::size(kDroppedBits));
inline constexpr std::uint32_t kCoarsestDrop = kMean - 1;

// Checksum of a header of at most 128 bytes and the bytes behind it. Detects accidents, not attacks.
[[nodiscard]] std::uint64_t BytesChecksum(std::span<const std::byte> head, std::span<const std::byte> rest);

// Checksum of all bytes except its own.
[[nodiscard]] std::uint64_t TileSliceChecksum(const TileSliceHeader& header, const std::byte* rest, std::size_t rest_bytes);

}  // namespace tandem::codec
