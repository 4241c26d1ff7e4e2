#include "codec/tile_writer.h"

#include <algorithm>
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

struct Palette {
  std::array<std::uint32_t, kMaxPaletteColors> colors{};
  std::uint32_t size = 0;
  std::array<std::uint64_t, kTileExtent> indices{};  // of a row, one in each byte
};

// The most colours with which a palette has fewer bytes.
std::uint32_t ColorsBelow(std::uint32_t bytes, std::uint32_t channels) {
  static constexpr auto kMost = [] {
    std::array<std::array<std::uint8_t, 128>, kMaxChannels + 1> most{};
    for (std::uint32_t c = 1; c <= kMaxChannels; ++c) {
      for (std::uint32_t limit = 0; limit < 128; ++limit) {
        for (std::uint32_t colors = 2; colors <= kMaxPaletteColors; ++colors) {
          if (c * colors + 8 * PaletteIndexBits(colors) < limit) most[c][limit] = static_cast<std::uint8_t>(colors);
        }
      }
    }
    return most;
  }();
  return kMost[channels][std::min(bytes, 127U)];
}

// 1 in each byte that is not 0.
std::uint64_t NonZeroBytes(std::uint64_t word) {
  word |= word >> 4;
  word |= word >> 2;
  word |= word >> 1;
  return word & kEveryByte;
}

// Where the colour is in the palette, at its end if need be; `most` when there is no room for it.
std::uint32_t IndexOf(std::uint32_t color, std::uint32_t most, Palette& palette) {
  std::uint32_t index = 0;
  while (index < palette.size && palette.colors[index] != color) ++index;
  if (index == palette.size && index < most) palette.colors[palette.size++] = color;
  return index;
}

// False when there are more colours than `most`. Looks at the pixels that differ from the one to their left.
bool MakePalette(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint32_t most, Palette& palette) {
  for (std::uint32_t y = 0; y < kTileExtent; ++y) {
    std::array<std::uint64_t, kMaxChannels> rows{};
    std::uint64_t steps = 1;
    for (std::uint32_t c = 0; c < channels; ++c) {
      rows[c] = LoadWord(planes.at[c][y] + 8 * index);
      steps |= NonZeroBytes(rows[c] ^ (rows[c] << 8)) & ~std::uint64_t{0xFF};
    }
    std::uint64_t indices = 0;
    std::uint32_t before = 0;
    for (; steps != 0; steps &= steps - 1) {
      const int shift = std::countr_zero(steps);
      std::uint32_t color = 0;
      for (std::uint32_t c = 0; c < channels; ++c) color |= static_cast<std::uint32_t>((rows[c] >> shift) & 0xFF) << (8 * c);
      const std::uint32_t here = IndexOf(color, most, palette);
      if (here == most) return false;
      indices ^= (std::uint64_t{before ^ here} * kEveryByte) << shift;
      before = here;
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

WrittenTile WriteTile(const StripFunctions& strip, const StripPlanes& planes, const StripCode& code, std::uint32_t channels,
                      std::uint32_t index, std::uint8_t* out) {
  constexpr std::uint32_t kPaletteWorthBytes = 28;  // above this a palette may be shorter
  constexpr std::uint64_t kPaletteSteps = 36;       // above this there are hardly ever few colours
  const auto bytes = static_cast<std::uint32_t>(code.bytes[index]);
  if (bytes > kPaletteWorthBytes && code.steps[index] <= kPaletteSteps) {
    Palette palette;
    const std::uint32_t most = ColorsBelow(bytes, channels);
    if (most >= 2 && MakePalette(planes, channels, index, most, palette) && palette.size >= 2) {
      return WritePalette(palette, channels, out);
    }
  }
  if (bytes >= kTileSamples * channels || bytes > 1 + channels + kMaxPredictedExtra)
    return WriteRaw(planes, channels, index, out);
  strip.write(code, channels, index, 0, out);
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
