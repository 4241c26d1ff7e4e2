// Decodes tiles of a strip that need more than prediction, sample by sample.
#pragma once

#include <cstdint>

#include "codec/tiles/tile_format.h"

namespace tandem::codec {

// Writes raw and palette tiles, and restores the scale of predicted tiles with dropped bits. Precondition: predicted planes are
// restored.
void ReadOtherTiles(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, StripPlanes& planes);

}  // namespace tandem::codec
