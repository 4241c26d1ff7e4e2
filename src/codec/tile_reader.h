// The bytes of one tile to a strip's code or planes. What comes here was found sound.
#pragma once

#include <cstdint>

#include "codec/tile_format.h"

namespace tandem::codec {

// Bytes behind a tile that ReadPredicted may read, whatever they are.
inline constexpr std::uint32_t kTileReadSlack = 8;

// Channels that are not flat in the predicted tile, as bits.
[[nodiscard]] constexpr std::uint32_t PresentChannels(std::uint8_t first_byte) { return first_byte >> 2 & 15U; }

// Fills the tile's words of the code; rows only of the channels in `wanted`, which are those that any tile of the strip has.
// Answers the bits to shift the restored planes by.
[[nodiscard]] std::uint32_t ReadPredicted(const std::uint8_t* tile, std::uint32_t channels, std::uint32_t wanted,
                                          std::uint32_t index, StripCode& code);

// Fills the tile's words with what restores quickly to anything.
void SkipTile(std::uint32_t channels, std::uint32_t wanted, std::uint32_t index, StripCode& code);

// Shifts a tile of restored planes left, and half of what may have been dropped is added.
void UndoDrop(std::uint32_t bits, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);

void ReadRaw(const std::uint8_t* tile, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);

void ReadPalette(const std::uint8_t* tile, std::uint8_t entry, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);

}  // namespace tandem::codec
