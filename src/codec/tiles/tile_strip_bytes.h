// Codes the bytes of predicted tiles (tile_format.h) word by word, for targets without instructions that move many bytes.
#pragma once

#include "codec/tiles/tile_strip.h"

namespace tandem::codec {

void WriteTileBytes(const StripCode& code, std::uint32_t channels, std::uint32_t index, std::uint32_t drop, std::uint8_t* out);
[[nodiscard]] std::uint32_t UnsoundTileBytes(const std::uint8_t* const (&tiles)[kStripTiles],
                                             const std::uint64_t (&bytes)[kStripTiles], std::uint32_t channels);
void ReadTileBytes(const CodedTile (&tiles)[kStripTiles], std::uint32_t channels, StripCode& code);

}  // namespace tandem::codec
