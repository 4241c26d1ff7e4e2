// The bytes of one tile to a strip's code or planes. What comes here was found sound.
#pragma once

#include <cstdint>

#include "codec/tile_format.h"

namespace tandem::codec {

// Shifts a tile of restored planes left, and half of what may have been dropped is added.
void UndoDrop(std::uint32_t bits, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);

void ReadRaw(const std::uint8_t* tile, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);

void ReadPalette(const std::uint8_t* tile, std::uint8_t entry, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);

}  // namespace tandem::codec
