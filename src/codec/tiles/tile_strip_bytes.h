// Codes the bytes of predicted tiles (tile_format.h) word by word, for targets without instructions that move many bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/tiles/tile_strip.h"
#include "codec/tiles/tile_widths.h"

namespace tandem::codec {

void WriteTileBytes(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out);
[[nodiscard]] std::uint32_t UnsoundTileBytes(const std::uint8_t* const (&tiles)[kStripTiles],
                                             const std::uint64_t (&bytes)[kStripTiles], std::uint32_t channels);
void ReadTileBytes(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, StripCode& code);

// Writes the head, all that stands before the rows. Returns the rows' place.
inline std::uint8_t* WriteTileHead(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop,
                                   std::uint8_t* out) {
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
  return at;
}

// Reads predictor, bases and widths of tile `index`. Returns the rows' place.
inline const std::uint8_t* ReadTileHead(const std::uint8_t* tile, std::uint32_t channels, std::uint32_t index, StripCode& code) {
  code.predictor[index] = tile[0] & 3U;
  std::uint32_t present = tile[0] >> 2 & 15U;
  const std::uint8_t* at = tile + 1 + channels;
  for (std::uint32_t c = 0; c < channels; ++c, present >>= 1) {
    code.base[c][index] = tile[1 + c] * kEveryByte;
    code.widths[c][index] = (present & 1) == 0 ? 0 : RowWidths(at);
    at += std::size_t{3} * (present & 1);
  }
  return at;
}

// The head of a tile of zeros, whose rows have no bytes.
inline constexpr std::uint8_t kZeroTile[1 + kMaxChannels + 16] = {};

}  // namespace tandem::codec
