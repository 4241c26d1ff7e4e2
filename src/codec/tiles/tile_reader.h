// The tiles of a strip that do not come by prediction alone, sample by sample.
#pragma once

#include <cstdint>

#include "codec/tiles/tile_format.h"

namespace tandem::codec {

// Writes the raw and the palette tiles, and undoes what predicted ones dropped, of planes that have these restored.
void ReadOtherTiles(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, StripPlanes& planes);

}  // namespace tandem::codec
