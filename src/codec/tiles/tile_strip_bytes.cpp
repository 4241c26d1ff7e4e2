#include "codec/tiles/tile_strip_bytes.h"

#include <array>
#include <cstring>

#include "codec/tiles/tile_format.h"
#include "codec/tiles/tile_widths.h"

namespace tandem::codec {
namespace {

std::uint64_t LoadWord(const std::uint8_t* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// Indexed by a width: mask of a word's first bytes.
constexpr std::array<std::uint64_t, 9> kFirstBytes = {
    0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

bool IsSound(const std::uint8_t* tile, std::uint64_t bytes, std::uint32_t channels) {
  const std::uint32_t present = tile[0] >> 2 & 15U;
  if ((tile[0] & 3U) > static_cast<std::uint32_t>(Predictor::kPlane) || present >> channels != 0) return false;
  const std::uint8_t* widths_at = tile + 1 + channels;
  std::uint64_t sum = 1 + channels + 3U * kBitCounts[present];
  for (std::uint32_t i = 0; i < kBitCounts[present]; ++i, widths_at += 3) sum += (RowWidths(widths_at) * kEveryByte) >> 56;
  return sum == bytes;
}

}  // namespace

std::uint32_t UnsoundTileBytes(const std::uint8_t* const (&tiles)[kStripTiles], const std::uint64_t (&bytes)[kStripTiles],
                               std::uint32_t channels) {
  std::uint32_t unsound = 0;
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    if (tiles[i] != nullptr && !IsSound(tiles[i], bytes[i], channels)) unsound |= 1U << i;
  }
  return unsound;
}

void WriteTileBytes(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out) {
  std::uint8_t* at = WriteTileHead(code, channels, index, drop, out);
  for (std::uint32_t c = 0; c < channels; ++c) {
    std::uint64_t widths = code.widths[c][index];
    for (const std::uint64_t& row : code.rows[c][index]) {
      std::memcpy(at, &row, sizeof(row));
      at += widths & 0xFF;
      widths >>= 8;
    }
  }
}

void ReadTileBytes(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, StripCode& code) {
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    const std::uint8_t* at = ReadTileHead(tiles[i].entry >= kEntryPredicted ? tiles[i].bytes : kZeroTile, channels, i, code);
    for (std::uint32_t c = 0; c < channels; ++c) {
      std::uint64_t widths = code.widths[c][i];
      for (std::uint64_t& row : code.rows[c][i]) {
        row = LoadWord(at) & kFirstBytes[widths & 0xFF];
        at += widths & 0xFF;
        widths >>= 8;
      }
    }
  }
}

}  // namespace tandem::codec
