#include "codec/tiles/tile_reader.h"

#include <cstring>

#include "codec/tiles/tile_widths.h"

namespace tandem::codec {
namespace {

// Shifts a tile of restored planes left and adds half of the range that was dropped.
void UndoDrop(std::uint32_t bits, std::uint32_t channels, std::uint32_t index, StripPlanes& planes) {
  for (std::uint32_t c = 0; c < channels; ++c) {
    const std::uint32_t half = c == 1 || c == 2 ? 0 : 1U << (bits - 1);  // blue and red contain green's half
    for (auto& row : planes.at[c]) {
      for (std::uint32_t x = 8 * index; x < 8 * index + 8; ++x)
        row[x] = static_cast<std::uint8_t>((std::uint32_t{row[x]} << bits) + half);
    }
  }
}

void ReadRaw(const std::uint8_t* tile, std::uint32_t channels, std::uint32_t index, StripPlanes& planes) {
  for (std::uint32_t c = 0; c < channels; ++c) {
    for (std::uint32_t y = 0; y < kTileExtent; ++y, tile += 8) std::memcpy(planes.at[c][y] + 8 * index, tile, 8);
  }
}

}  // namespace

void ReadPaletteBySamples(const CodedTile& tile, std::uint32_t channels, std::uint32_t index, StripPlanes& planes) {
  std::uint8_t colors[kMaxChannels][kMaxPaletteColors] = {};
  const std::uint32_t count = tile.entry - kEntryPalette + 2U;
  const std::uint8_t* at = tile.bytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t c = 0; c < channels; ++c) colors[c][i] = *at++;
  }
  const std::uint32_t bits = PaletteIndexBits(count);
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    std::uint64_t indices = 0;
    for (std::uint32_t bit = 0; bit < bits; ++bit) indices |= kSpreadBits[at[8 * bit + y]] << bit;
    for (std::uint32_t x = 8 * index; x < 8 * index + 8; ++x, indices >>= 8) {
      for (std::uint32_t c = 0; c < channels; ++c) planes.at[c][y][x] = colors[c][indices & 15];
    }
  }
}

void ReadOtherTiles(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, PaletteReader read_palette,
                    StripPlanes& planes) {
  for (std::uint32_t i = 0; i < kStripTiles; ++i) {
    const auto& [bytes, entry] = tiles[i];
    if (entry >= kEntryPredicted) {
      const std::uint32_t dropped = kDroppedBits[bytes[0] >> 6];
      if (dropped != 0) UndoDrop(dropped, channels, i, planes);
    } else if (entry >= kEntryPalette) {
      read_palette(tiles[i], channels, i, planes);
    } else if (entry == kEntryRaw) {
      ReadRaw(bytes, channels, i, planes);
    }
  }
}

}  // namespace tandem::codec
