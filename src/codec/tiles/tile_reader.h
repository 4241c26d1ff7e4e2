// Decodes tiles of a strip that need more than prediction.
#pragma once

#include <cstdint>

#include "codec/tiles/tile_format.h"

namespace tandem::codec {

// Writes a palette tile, whose colours and indices mean what tile_format.h says, to the strip's tile `index`.
using PaletteReader = void (*)(const CodedTile& tile, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);
void ReadPaletteBySamples(const CodedTile& tile, std::uint32_t channels, std::uint32_t index, StripPlanes& planes);

// Writes raw and palette tiles, and restores the scale of predicted tiles with dropped bits. Precondition: predicted planes are
// restored.
void ReadOtherTiles(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, PaletteReader read_palette,
                    StripPlanes& planes);

}  // namespace tandem::codec
