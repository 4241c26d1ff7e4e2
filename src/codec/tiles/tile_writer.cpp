#include "codec/tiles/tile_writer.h"

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

WrittenTile WriteRaw(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint8_t* out) {
  for (std::uint32_t c = 0; c < channels; ++c) {
    for (std::uint32_t y = 0; y < kTileExtent; ++y, out += 8) StoreWord(out, LoadWord(planes.at[c][y] + 8 * index));
  }
  return {kEntryRaw, kTileSamples * channels};
}

}  // namespace

WrittenTile WritePalette(const TileColors& colors, std::uint32_t count, std::uint32_t channels, std::uint8_t* out) {
  std::uint8_t* at = out;
  for (std::uint32_t i = 0; i < count; ++i, at += channels) std::memcpy(at, &colors.values[i], channels);
  const std::uint32_t bits = PaletteIndexBits(count);
  for (std::uint32_t bit = 0; bit < bits; ++bit, at += 8) {
    std::uint64_t set = 0;
    for (std::uint32_t i = 0; i < count; ++i) set |= colors.samples[i] & (0 - std::uint64_t{i >> bit & 1});
    StoreWord(at, set);
  }
  return {static_cast<std::uint8_t>(kEntryPalette + count - 2), static_cast<std::uint32_t>(at - out)};
}

WrittenTile WriteTile(const StripFunctions& strip, const StripPlanes& planes, const StripCode& code, std::uint32_t channels,
                      std::uint32_t index, std::uint8_t* out) {
  const auto bytes = static_cast<std::uint32_t>(code.bytes[index]);
  if (MayHavePalette(bytes, code.steps[index])) {
    TileColors colors;
    const std::uint32_t most = MostColors(bytes, channels);
    const std::uint32_t count = most >= 2 ? strip.colors(planes, channels, index, most, colors) : 0;
    if (count >= 2) return WritePalette(colors, count, channels, out);
  }
  if (IsBetterRaw(bytes, channels)) return WriteRaw(planes, channels, index, out);
  strip.write(code, channels, index, 0, out);
  return {PredictedEntry(bytes, channels), bytes};
}

}  // namespace tandem::codec
