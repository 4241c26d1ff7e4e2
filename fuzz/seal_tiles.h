// Gives tile-coded bytes correct checksums and guard numbers, so that fuzzing gets past them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/tiles/tile_format.h"
#include "codec/yuv/yuv_groups.h"
#include "codec/yuv/yuv_tiles.h"

namespace tandem::fuzz {

using codec::TileSliceHeader;
using codec::YuvTilesHeader;

inline std::uint64_t MapBytesOf(const YuvTilesHeader& header) {
  return (std::uint64_t{codec::TilesAcross(header.width)} * codec::TilesAcross(header.height) + 7) / 8;
}

// Seals a tile slice of `bytes` bytes with the given header.
inline void SealSlice(TileSliceHeader& header, std::byte* at, std::uint64_t bytes) {
  header.magic = codec::kTileSliceMagic;
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.checksum = codec::TileSliceChecksum(header, at + sizeof(header), bytes - sizeof(header));
  std::memcpy(at, &header, sizeof(header));
}

// Seals a picture of yuv_tiles.h and its slices.
inline void SealPicture(std::byte* bytes, std::size_t size) {
  YuvTilesHeader header{};
  std::memcpy(&header, bytes, sizeof(header));
  header.magic = codec::kYuvTilesMagic;
  header.bytes = static_cast<std::uint32_t>(size);
  header.checksum = 0;
  const std::uint64_t map = MapBytesOf(header);
  if (map > size - sizeof(header)) return;
  header.checksum = codec::BytesChecksum(std::as_bytes(std::span(&header, 1)), {bytes + sizeof(header), map});
  std::memcpy(bytes, &header, sizeof(header));
  std::uint64_t at = (sizeof(header) + map + 7) / 8 * 8;
  for (const std::uint32_t slice_bytes : header.slice_bytes) {
    if (slice_bytes < sizeof(TileSliceHeader) || at > size || slice_bytes > size - at) return;
    TileSliceHeader slice{};
    std::memcpy(&slice, bytes + at, sizeof(slice));
    SealSlice(slice, bytes + at, slice_bytes);
    at = (at + slice_bytes + 7) / 8 * 8;
  }
}

// Seals groups of yuv_groups.h and the picture that contains them.
inline void SealGroups(std::byte* bytes, std::size_t size) {
  codec::YuvGroupsHeader header{};
  if (size < sizeof(header)) return;
  std::memcpy(&header, bytes, sizeof(header));
  header.magic = codec::kYuvGroupsMagic;
  header.bytes = static_cast<std::uint32_t>(size);
  header.checksum = 0;
  const std::uint64_t map = codec::GroupMapBytes(header.width, header.height);
  if (map > size - sizeof(header)) return;
  header.checksum = codec::BytesChecksum(std::as_bytes(std::span(&header, 1)), {bytes + sizeof(header), map});
  std::memcpy(bytes, &header, sizeof(header));
  const std::uint64_t at = (sizeof(header) + map + 7) / 8 * 8;
  if (at <= size && size - at >= sizeof(YuvTilesHeader)) SealPicture(bytes + at, size - at);
}

}  // namespace tandem::fuzz
