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

void ReadTile(const std::uint8_t* tile, std::uint32_t channels, std::uint32_t index, StripCode& code) {
  code.predictor[index] = tile[0] & 3U;
  std::uint32_t present = tile[0] >> 2 & 15U;
  const std::uint8_t* widths_at = tile + 1 + channels;
  const std::uint8_t* at = widths_at + 3 * std::size_t{kBitCounts[present]};
  for (std::uint32_t c = 0; c < channels; ++c, present >>= 1) {
    code.base[c][index] = tile[1 + c] * kEveryByte;
    std::uint64_t widths = (present & 1) == 0 ? 0 : RowWidths(widths_at);
    code.widths[c][index] = widths;
    widths_at += 3 * std::size_t{present & 1};
    if (widths == 0) {
      std::memset(code.rows[c][index], 0, sizeof(code.rows[c][index]));
      continue;
    }
    for (std::uint64_t& row : code.rows[c][index]) {
      const std::size_t width = widths & 0xFF;
      row = LoadWord(at) & kFirstBytes[width];
      at += width;
      widths >>= 8;
    }
  }
}

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
  std::uint32_t present = 0;
  std::uint8_t* at = out + 1 + channels;
  for (std::uint32_t c = 0; c < channels; ++c) {
    const std::uint32_t here = code.widths[c][index] != 0 ? 1 : 0;
    present |= here << c;
    out[1 + c] = static_cast<std::uint8_t>(code.base[c][index]);
    const auto bits = static_cast<std::uint32_t>(code.width_bits[c][index]);
    std::memcpy(at, &bits, sizeof(bits));
    at += std::size_t{3} * here;
  }
  out[0] = static_cast<std::uint8_t>(code.predictor[index] | (present << 2) | (drop << 6));
  for (std::uint32_t c = 0; c < channels; ++c) {
    std::uint64_t widths = code.widths[c][index];
    if (widths == 0) continue;
    for (const std::uint64_t& row : code.rows[c][index]) {
      std::memcpy(at, &row, sizeof(row));
      at += widths & 0xFF;
      widths >>= 8;
    }
  }
}

void ReadTileBytes(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, StripCode& code) {
  static constexpr std::uint8_t kNothing[1 + kMaxChannels + 8] = {};
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    ReadTile(tiles[i].entry >= kEntryPredicted ? tiles[i].bytes : kNothing, channels, i, code);
  }
}

}  // namespace tandem::codec
