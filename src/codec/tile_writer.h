// One tile of a coded strip to bytes.
#pragma once

#include <cstdint>

#include "codec/tile_format.h"

namespace tandem::codec {

struct WrittenTile {
  std::uint8_t entry;
  std::uint32_t bytes;
};

// Writes tile `index` the shortest way that loses nothing.
[[nodiscard]] WrittenTile WriteTile(const StripFunctions& strip, const StripPlanes& planes, const StripCode& code,
                                    std::uint32_t channels, std::uint32_t index, std::uint8_t* out);

// Writes it in one colour, the mean of its samples.
[[nodiscard]] WrittenTile WriteMean(const StripPlanes& planes, std::uint32_t channels, std::uint32_t index, std::uint8_t* out);

[[nodiscard]] constexpr std::uint8_t PredictedEntry(std::uint32_t bytes, std::uint32_t channels) {
  return static_cast<std::uint8_t>(kEntryPredicted + bytes - 1 - channels);
}

}  // namespace tandem::codec
