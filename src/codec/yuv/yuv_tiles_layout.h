// Layout of yuv_tiles.h's parts in its bytes and in the rooms of both sides. Internal to the module.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "codec/tiles/tile_encoder.h"
#include "codec/tiles/tile_format.h"
#include "codec/yuv/yuv_tiles.h"
#include "color/yuv.h"

namespace tandem::codec {

[[nodiscard]] constexpr std::uint64_t AlignedTo8(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

[[nodiscard]] constexpr std::uint64_t MapBytes(std::uint32_t width, std::uint32_t height) {
  return (std::uint64_t{TilesAcross(width)} * TilesAcross(height) + 7) / 8;
}
[[nodiscard]] constexpr std::uint64_t FirstSliceAt(std::uint32_t width, std::uint32_t height) {
  return AlignedTo8(sizeof(YuvTilesHeader) + MapBytes(width, height));
}

struct AtlasExtent {
  std::uint32_t width, height;  // samples
};
// `tiles`: at least one.
[[nodiscard]] constexpr AtlasExtent AtlasOf(std::uint32_t tiles) {
  return {kTileExtent * std::min(tiles, kAtlasTiles), kTileExtent * ((tiles + kAtlasTiles - 1) / kAtlasTiles)};
}

// The planes of a picture, one behind the other, then an atlas of `full_tiles`.
template <class Byte>
struct YuvTilesRoom {
  color::Yuv420<Byte> planes;
  Byte* atlas = nullptr;
  std::uint64_t atlas_pitch = std::uint64_t{4} * kTileExtent * kAtlasTiles;
};

[[nodiscard]] inline std::uint64_t RoomBytes(std::uint32_t width, std::uint32_t height, std::uint32_t full_tiles) {
  const std::uint64_t chroma_bytes = std::uint64_t{color::ChromaExtent(width)} * color::ChromaExtent(height);
  const std::uint64_t atlas_bytes = full_tiles == 0 ? 0 : YuvTilesRoom<std::byte>().atlas_pitch * AtlasOf(full_tiles).height;
  return std::uint64_t{width} * height + 2 * chroma_bytes + atlas_bytes;
}

[[nodiscard]] inline YuvTilesRoom<std::byte> RoomFor(std::uint32_t width, std::uint32_t height, std::uint32_t full_tiles,
                                                     std::span<std::byte> room) {
  TANDEM_CHECK(room.size() >= RoomBytes(width, height, full_tiles));
  const std::uint64_t y_bytes = std::uint64_t{width} * height;
  const std::uint64_t chroma_pitch = color::ChromaExtent(width);
  const std::uint64_t chroma_bytes = chroma_pitch * color::ChromaExtent(height);
  YuvTilesRoom<std::byte> parts;
  std::byte* const at = room.data();
  parts.planes = {color::YuvLayout::kThreePlanes, at, at + y_bytes, at + y_bytes + chroma_bytes, width, chroma_pitch};
  parts.atlas = at + y_bytes + 2 * chroma_bytes;
  return parts;
}

// Offset of tile `index` in an atlas.
[[nodiscard]] constexpr std::uint64_t AtlasPlace(std::uint32_t index, std::uint64_t pitch) {
  return index / kAtlasTiles * kTileExtent * pitch + std::uint64_t{4} * kTileExtent * (index % kAtlasTiles);
}

}  // namespace tandem::codec
