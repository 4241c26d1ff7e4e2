#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "base/limits.h"
#include "codec/yuv/yuv_tiles.h"
#include "codec/yuv/yuv_tiles_layout.h"
#include "color/yuv.h"

namespace tandem::codec {
namespace {

std::optional<Error> HeaderFault(const YuvTilesHeader& header, std::uint64_t bytes) {
  if (header.magic != kYuvTilesMagic) {
    return Fail(ErrorKind::kInvalidArgument, "A picture begins with {:#x}, not with {:#x}.", header.magic, kYuvTilesMagic);
  }
  if (header.bytes != bytes) return Fail(ErrorKind::kInvalidArgument, "A picture of {} bytes came with {}.", header.bytes, bytes);
  if (header.width == 0 || header.height == 0 || header.width > kMaxSurfaceExtent || header.height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A picture has {} x {} pixels; 1 to {} are allowed.", header.width, header.height,
                kMaxSurfaceExtent);
  }
  if (header.frame == 0) return Fail(ErrorKind::kInvalidArgument, "A picture is of frame 0; frames are numbered from 1 on.");
  if (bytes < FirstSliceAt(header.width, header.height)) {
    return Fail(ErrorKind::kInvalidArgument, "A picture of {} bytes has no room for the map of its tiles.", bytes);
  }
  return std::nullopt;
}

// Checks that the map has the header's number of tiles and no bit behind them.
std::optional<Error> MapFault(const YuvTilesHeader& header, std::span<const std::byte> map) {
  const std::uint32_t tiles = TilesAcross(header.width) * TilesAcross(header.height);
  std::uint32_t count = 0;
  for (const std::byte byte : map) count += static_cast<std::uint32_t>(std::popcount(std::to_integer<std::uint8_t>(byte)));
  const bool too_far = tiles % 8 != 0 && std::to_integer<std::uint32_t>(map.back()) >> tiles % 8 != 0;
  if (count == header.full_tiles && !too_far) return std::nullopt;
  return Fail(ErrorKind::kInvalidArgument, "A map of {} tiles names {}; {} come without loss.", tiles, count, header.full_tiles);
}

Result<CheckedTileSlice> CheckSlice(std::span<const std::byte> bytes, const YuvTilesHeader& picture, TileContent content,
                                    std::uint32_t width, std::uint32_t height) {
  auto checked = CheckTileSlice(bytes);
  if (!checked.ok()) return checked;
  const TileSliceHeader& header = checked->header;
  if (header.width != width || header.height != height || header.first_row != 0 || header.row_count != TileRows(height) ||
      header.content != static_cast<std::uint8_t>(content) || header.frame != picture.frame || header.reference != 0) {
    return Fail(ErrorKind::kInvalidArgument, "A plane of {} x {} samples is of frame {} and refers to {}; {} x {} of {} are due.",
                header.width, header.height, header.frame, header.reference, width, height, picture.frame);
  }
  return checked;
}

void CopyFullTiles(const CheckedYuvTiles& tiles, const color::Bgra8<std::byte>& to, const YuvTilesRoom<std::byte>& parts) {
  const std::uint32_t across = TilesAcross(to.width);
  const std::uint32_t all = across * TilesAcross(to.height);
  std::uint32_t index = 0;
  for (std::uint32_t byte = 0; byte < tiles.map.size(); ++byte) {
    for (std::uint32_t bits = std::to_integer<std::uint32_t>(tiles.map[byte]); bits != 0; bits &= bits - 1) {
      const std::uint32_t tile = 8 * byte + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (tile >= all || index == tiles.header.full_tiles) return;  // the map changed after the check
      const std::uint64_t left = std::uint64_t{tile % across} * kTileExtent;
      const std::uint32_t top = tile / across * kTileExtent;
      const std::size_t row_bytes = 4 * std::min<std::uint64_t>(kTileExtent, to.width - left);
      const std::byte* const from = parts.atlas + AtlasPlace(index++, parts.atlas_pitch);
      for (std::uint32_t y = 0; y < std::min(kTileExtent, to.height - top); ++y) {
        std::memcpy(to.pixels + (top + y) * to.pitch + 4 * left, from + y * parts.atlas_pitch, row_bytes);
      }
    }
  }
}

}  // namespace

Result<CheckedYuvTiles> CheckYuvTiles(std::span<const std::byte> bytes) {
  CheckedYuvTiles checked{};
  YuvTilesHeader& header = checked.header;
  if (bytes.size() < sizeof(header)) {
    return Fail(ErrorKind::kInvalidArgument, "A picture of {} bytes has no room for its header of {}.", bytes.size(),
                sizeof(header));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (auto fault = HeaderFault(header, bytes.size())) return *std::move(fault);
  checked.map = bytes.subspan(sizeof(header), MapBytes(header.width, header.height));
  YuvTilesHeader without = header;
  without.checksum = 0;
  const std::uint64_t sum = BytesChecksum(std::as_bytes(std::span(&without, 1)), checked.map);
  if (sum != header.checksum) {
    return Fail(ErrorKind::kInvalidArgument, "A picture's checksum is {:#x}, not {:#x}.", sum, header.checksum);
  }
  if (auto fault = MapFault(header, checked.map)) return *std::move(fault);
  std::uint64_t at = FirstSliceAt(header.width, header.height);
  const AtlasExtent luma{header.width, header.height};
  const AtlasExtent chroma{color::ChromaExtent(header.width), color::ChromaExtent(header.height)};
  const AtlasExtent extents[4] = {luma, chroma, chroma, AtlasOf(header.full_tiles)};
  for (std::uint32_t i = 0; i < 4; ++i) {
    if (i == 3 && header.full_tiles == 0) {
      if (header.slice_bytes[3] == 0) break;
      return Fail(ErrorKind::kInvalidArgument, "{} bytes are of tiles that are not there.", header.slice_bytes[3]);
    }
    if (at > bytes.size() || header.slice_bytes[i] > bytes.size() - at) {
      return Fail(ErrorKind::kInvalidArgument, "A plane of {} bytes from byte {} on ends behind its picture's {}.",
                  header.slice_bytes[i], at, bytes.size());
    }
    const auto content = i == 3 ? TileContent::kBgrx8 : TileContent::kPlane8;
    auto slice = CheckSlice(bytes.subspan(at, header.slice_bytes[i]), header, content, extents[i].width, extents[i].height);
    if (!slice.ok()) return std::move(slice).error();
    checked.slices[i] = *slice;
    at = AlignedTo8(at + header.slice_bytes[i]);
  }
  if (at == bytes.size()) return checked;
  return Fail(ErrorKind::kInvalidArgument, "A picture has {} bytes, its planes end at {}.", bytes.size(), at);
}

std::uint64_t YuvTilesRoomBytes(const YuvTilesHeader& header) {
  return RoomBytes(header.width, header.height, header.full_tiles);
}

void DecodeYuvTiles(const CheckedYuvTiles& tiles, const color::Bgra8<std::byte>& to, color::YuvCoding coding,
                    color::ChromaFilter filter, std::span<std::byte> room) {
  const YuvTilesHeader& header = tiles.header;
  TANDEM_CHECK(to.width == header.width && to.height == header.height);
  const YuvTilesRoom<std::byte> parts = RoomFor(to.width, to.height, header.full_tiles, room);
  const color::Yuv420<std::byte>& planes = parts.planes;
  const std::uint32_t chroma_width = color::ChromaExtent(to.width);
  const std::uint32_t chroma_height = color::ChromaExtent(to.height);
  DecodeTileSlice(tiles.slices[0], {planes.y, planes.y_pitch, to.width, to.height}, {});
  DecodeTileSlice(tiles.slices[1], {planes.u, planes.chroma_pitch, chroma_width, chroma_height}, {});
  DecodeTileSlice(tiles.slices[2], {planes.v, planes.chroma_pitch, chroma_width, chroma_height}, {});
  color::DecodeYuv420(to, {planes.layout, planes.y, planes.u, planes.v, planes.y_pitch, planes.chroma_pitch}, coding, filter);
  if (header.full_tiles == 0) return;
  const AtlasExtent extent = AtlasOf(header.full_tiles);
  DecodeTileSlice(tiles.slices[3], {parts.atlas, parts.atlas_pitch, extent.width, extent.height}, {});
  CopyFullTiles(tiles, to, parts);
}

}  // namespace tandem::codec
