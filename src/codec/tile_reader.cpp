#include "codec/tile_reader.h"

#include <array>
#include <cstring>

#include "codec/tile_widths.h"

namespace tandem::codec {
namespace {

std::uint64_t LoadWord(const std::uint8_t* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

// The first bytes of a word.
constexpr std::array<std::uint64_t, 9> kFirstBytes = {
    0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

void ClearRows(StripCode& code, std::uint32_t channel, std::uint32_t index) {
  for (auto& row : code.rows[channel]) row[index] = 0;
}

}  // namespace

std::uint32_t ReadPredicted(const std::uint8_t* tile, std::uint32_t channels, std::uint32_t wanted, std::uint32_t index,
                            StripCode& code) {
  code.predictor[index] = tile[0] & 3U;
  std::uint32_t present = PresentChannels(tile[0]);
  const std::uint32_t drop = tile[0] >> 6;
  const std::uint8_t* widths_at = tile + 1 + channels;
  const std::uint8_t* at = widths_at + 3 * std::size_t{kBitCounts[present]};
  for (std::uint32_t c = 0; c < channels; ++c, present >>= 1) {
    code.base[c][index] = tile[1 + c] * kEveryByte;
    std::uint64_t widths = (present & 1) == 0 ? 0 : RowWidths(widths_at);
    code.widths[c][index] = widths;
    if (widths == 0) {
      if ((wanted >> c & 1) != 0) ClearRows(code, c, index);
      widths_at += 3 * std::size_t{present & 1};
      continue;
    }
    widths_at += 3;
    for (auto& row : code.rows[c]) {
      const std::size_t width = widths & 0xFF;
      row[index] = LoadWord(at) & kFirstBytes[width];
      at += width;
      widths >>= 8;
    }
  }
  return kDroppedBits[drop];
}

void SkipTile(std::uint32_t channels, std::uint32_t wanted, std::uint32_t index, StripCode& code) {
  code.predictor[index] = 0;
  for (std::uint32_t c = 0; c < channels; ++c) {
    code.base[c][index] = 0;
    code.widths[c][index] = 0;
    if ((wanted >> c & 1) != 0) ClearRows(code, c, index);
  }
}

void UndoDrop(std::uint32_t bits, std::uint32_t channels, std::uint32_t index, StripPlanes& planes) {
  for (std::uint32_t c = 0; c < channels; ++c) {
    const std::uint32_t half = c == 1 || c == 2 ? 0 : 1U << (bits - 1);  // blue and red have green's
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

void ReadPalette(const std::uint8_t* tile, std::uint8_t entry, std::uint32_t channels, std::uint32_t index, StripPlanes& planes) {
  std::uint8_t colors[kMaxChannels][kMaxPaletteColors] = {};
  const std::uint32_t count = entry - kEntryPalette + 2U;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t c = 0; c < channels; ++c) colors[c][i] = *tile++;
  }
  const std::uint32_t bits = PaletteIndexBits(count);
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    std::uint64_t indices = 0;
    for (std::uint32_t bit = 0; bit < bits; ++bit) indices |= kSpreadBits[tile[8 * bit + y]] << bit;
    for (std::uint32_t x = 8 * index; x < 8 * index + 8; ++x, indices >>= 8) {
      for (std::uint32_t c = 0; c < channels; ++c) planes.at[c][y][x] = colors[c][indices & 15];
    }
  }
}

}  // namespace tandem::codec
