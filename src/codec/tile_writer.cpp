#include "codec/tile_writer.h"

#include <array>
#include <bit>
#include <cstring>

namespace tandem::codec {
namespace {

std::uint64_t LoadWord(const std::uint8_t* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

void StoreWord(std::uint8_t* to, std::uint64_t word) { std::memcpy(to, &word, sizeof(word)); }

// Bit i of each byte, as one byte.
std::uint8_t GatherBits(std::uint64_t bytes, int i) {
  return static_cast<std::uint8_t>((((bytes >> i) & kEveryByte) * 0x0102040810204080ULL) >> 56);
}

WrittenTile WriteRaw(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint8_t* out) {
  for (std::uint32_t c = 0; c < channels; ++c) {
    for (std::uint32_t y = 0; y < kTileExtent; ++y, out += 8) StoreWord(out, LoadWord(planes.at[c][y] + 8 * index));
  }
  return {kEntryRaw, kTileSamples * channels};
}

// Samples of the first channel that equal their right neighbour, of 56: many in text and drawings, few in pictures.
int EqualNeighbours(const StripPlanes& planes, std::uint32_t index) {
  constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7FULL;
  constexpr std::uint64_t kHigh = 0x80808080808080ULL;
  int equal = 0;
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    const std::uint64_t row = LoadWord(planes.at[0][y] + 8 * index);
    const std::uint64_t differences = (row ^ (row >> 8)) & (kLow | kHigh);
    equal += 7 - std::popcount((((differences & kLow) + kLow) | differences) & kHigh);
  }
  return equal;
}

struct Palette {
  std::array<std::uint32_t, kMaxPaletteColors> colors{};
  std::uint32_t size = 0;
  std::array<std::uint64_t, kTileExtent> indices{};  // of a row, one in each byte
};

// False when there are more colours than a palette has.
bool MakePalette(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, Palette& palette) {
  std::uint32_t last = 0;  // index of the color before
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    std::array<std::uint64_t, kMaxChannels> rows{};
    for (std::uint32_t c = 0; c < channels; ++c) rows[c] = LoadWord(planes.at[c][y] + 8 * index);
    std::uint64_t indices = 0;
    for (std::uint32_t x = 0; x < kTileExtent; ++x) {
      std::uint32_t color = 0;
      for (std::uint32_t c = 0; c < channels; ++c) color |= static_cast<std::uint32_t>((rows[c] >> (8 * x)) & 0xFF) << (8 * c);
      if (palette.size == 0 || palette.colors[last] != color) {
        last = 0;
        while (last < palette.size && palette.colors[last] != color) ++last;
        if (last == kMaxPaletteColors) return false;
        if (last == palette.size) palette.colors[palette.size++] = color;
      }
      indices |= std::uint64_t{last} << (8 * x);
    }
    palette.indices[y] = indices;
  }
  return true;
}

WrittenTile WritePalette(const Palette& palette, std::uint32_t channels, std::uint8_t* out) {
  std::uint8_t* at = out;
  for (std::uint32_t i = 0; i < palette.size; ++i, at += channels) std::memcpy(at, &palette.colors[i], channels);
  const std::uint32_t bits = PaletteIndexBits(palette.size);
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    for (std::uint32_t y = 0; y < kTileExtent; ++y) *at++ = GatherBits(palette.indices[y], static_cast<int>(bit));
  }
  return {static_cast<std::uint8_t>(kEntryPalette + palette.size - 2), static_cast<std::uint32_t>(at - out)};
}

}  // namespace

std::uint32_t WritePredicted(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop,
                             std::uint8_t* out) {
  std::uint32_t present = 0;
  for (std::uint32_t c = 0; c < channels; ++c) {
    present |= (code.used[c][index] != 0 ? 1U : 0U) << c;
    out[1 + c] = static_cast<std::uint8_t>(code.base[c][index]);
  }
  out[0] = static_cast<std::uint8_t>(code.predictor[index] | (present << 2) | (drop << 6));
  std::uint8_t* widths_at = out + 1 + channels;
  std::uint8_t* at = widths_at + 3 * std::popcount(present);
  for (std::uint32_t c = 0; c < channels; ++c) {
    if ((present >> c & 1) == 0) continue;
    std::uint64_t widths = 0;
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      const std::uint64_t row = code.rows[c][y][index];
      std::uint32_t width = static_cast<std::uint32_t>(71 - std::countl_zero(row)) >> 3;
      width += width == 7 ? 1 : 0;
      StoreWord(at, row);
      at += width;
      widths |= std::uint64_t{width - (width >> 3)} << (8 * y);
    }
    for (int bit = 0; bit < 3; ++bit) *widths_at++ = GatherBits(widths, bit);
  }
  return static_cast<std::uint32_t>(at - out);
}

WrittenTile WriteTile(const StripPlanes& planes, const StripCode& code, std::uint32_t channels, std::uint32_t index,
                      std::uint8_t* out) {
  constexpr std::uint32_t kPaletteWorthBytes = 20;  // above this a palette may be shorter
  constexpr int kPaletteNeighbours = 20;
  const std::uint32_t bytes = WritePredicted(code, channels, index, 0, out);
  if (bytes > kPaletteWorthBytes && EqualNeighbours(planes, index) >= kPaletteNeighbours) {
    Palette palette;
    if (MakePalette(planes, channels, index, palette) && palette.size >= 2 &&
        channels * palette.size + 8 * PaletteIndexBits(palette.size) < bytes) {
      return WritePalette(palette, channels, out);
    }
  }
  if (bytes >= kTileSamples * channels || bytes > 1 + channels + kMaxPredictedExtra)
    return WriteRaw(planes, channels, index, out);
  return {PredictedEntry(bytes, channels), bytes};
}

WrittenTile WriteMean(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint8_t* out) {
  out[0] = 0;
  std::uint32_t green = 0;
  for (std::uint32_t c = 0; c < channels; ++c) {
    const bool is_difference = c == 1 || c == 2;
    std::uint32_t sum = 0;
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      for (std::uint32_t x = 8 * index; x < 8 * index + 8; ++x) {
        sum += static_cast<std::uint8_t>(planes.at[c][y][x] + (is_difference ? planes.at[0][y][x] : 0));
      }
    }
    const std::uint32_t mean = (sum + kTileSamples / 2) / kTileSamples;
    if (c == 0) green = mean;
    out[1 + c] = static_cast<std::uint8_t>(is_difference ? mean - green : mean);
  }
  return {kEntryPredicted, 1 + channels};
}

}  // namespace tandem::codec
