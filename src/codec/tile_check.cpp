#include <algorithm>
#include <cstring>
#include <optional>

#include "codec/tile_decoder.h"
#include "codec/tile_format.h"
#include "codec/tile_widths.h"

namespace tandem::codec {
namespace {

std::uint32_t LoadU32(const std::byte* from) {
  std::uint32_t value = 0;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

bool IsContent(std::uint8_t value) { return value == 1 || value == 3 || value == 4; }

std::optional<Error> HeaderFault(const TileSliceHeader& header, std::uint64_t bytes) {
  if (header.magic != kTileSliceMagic) {
    return Fail(ErrorKind::kInvalidArgument, "A slice begins with {:#x}, not with {:#x}.", header.magic, kTileSliceMagic);
  }
  if (header.bytes != bytes) return Fail(ErrorKind::kInvalidArgument, "A slice of {} bytes came with {}.", header.bytes, bytes);
  if (!IsContent(header.content)) return Fail(ErrorKind::kInvalidArgument, "A slice has unknown content {}.", header.content);
  if (header.width == 0 || header.height == 0 || header.width > kMaxSurfaceExtent || header.height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A slice is of a frame of {} x {} samples; 1 to {} are allowed.", header.width,
                header.height, kMaxSurfaceExtent);
  }
  if (header.row_count == 0 || std::uint32_t{header.first_row} + header.row_count > TilesAcross(header.height)) {
    return Fail(ErrorKind::kInvalidArgument, "A slice of {} tile rows from {} on is not within the frame's {}.", header.row_count,
                header.first_row, TilesAcross(header.height));
  }
  if (header.frame == 0 || header.reference >= header.frame) {
    return Fail(ErrorKind::kInvalidArgument, "A slice of frame {} refers to frame {}.", header.frame, header.reference);
  }
  return std::nullopt;
}

// Whether the tile's bytes are as many as its own widths say.
bool IsPredictedTileSound(const std::uint8_t* tile, std::uint32_t bytes, std::uint32_t channels) {
  const std::uint32_t predictor = tile[0] & 3U;
  const std::uint32_t present = tile[0] >> 2 & 15U;
  if (predictor > static_cast<std::uint32_t>(Predictor::kPlane) || present >> channels != 0) return false;
  const std::uint32_t head_bytes = 1 + channels + 3U * kBitCounts[present];
  if (bytes < head_bytes) return false;
  std::uint64_t sum = head_bytes;
  for (const std::uint8_t* widths = tile + 1 + channels; widths < tile + head_bytes; widths += 3) {
    sum += (RowWidths(widths) * kEveryByte) >> 56;
  }
  return sum == bytes;
}

std::optional<Error> RowFault(const TileSliceHeader& header, std::uint32_t row, std::span<const std::byte> bytes) {
  const std::uint32_t tiles = TilesAcross(header.width);
  const auto* const entries = reinterpret_cast<const std::uint8_t*>(bytes.data());
  if (bytes.size() < tiles) {
    return Fail(ErrorKind::kInvalidArgument, "Tile row {} has {} bytes; its {} entries do not fit.", row, bytes.size(), tiles);
  }
  std::uint64_t at = tiles;
  bool any = false;  // a tile with bytes
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const std::uint8_t entry = entries[tile];
    const std::uint32_t size = TileBytes(entry, header.content);
    if (entry == kEntryUnchanged && header.reference == 0) {
      return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} is unchanged, but the frame refers to none.", tile, row);
    }
    if (entry == kEntryRepeated && !any) {
      return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} repeats one that is not there.", tile, row);
    }
    if (size > bytes.size() - at) {
      return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} ends {} bytes behind its row.", tile, row,
                  at + size - bytes.size());
    }
    if (entry >= kEntryPredicted && !IsPredictedTileSound(entries + at, size, header.content)) {
      return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} does not have the {} bytes that it says.", tile, row, size);
    }
    any = any || entry > kEntryRepeated;
    at += size;
  }
  if (at != bytes.size())
    return Fail(ErrorKind::kInvalidArgument, "Tile row {} has {} bytes, its tiles {}.", row, bytes.size(), at);
  return std::nullopt;
}

}  // namespace

Result<CheckedTileSlice> CheckTileSlice(std::span<const std::byte> bytes) {
  TileSliceHeader header{};
  if (bytes.size() < sizeof(header)) {
    return Fail(ErrorKind::kInvalidArgument, "A slice of {} bytes has no room for its header of {}.", bytes.size(),
                sizeof(header));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (auto fault = HeaderFault(header, bytes.size())) return *std::move(fault);
  const std::uint64_t sum = TileSliceChecksum(header, bytes.data() + sizeof(header), bytes.size() - sizeof(header));
  if (sum != header.checksum) {
    return Fail(ErrorKind::kInvalidArgument, "A slice's checksum is {:#x}, not {:#x}.", sum, header.checksum);
  }
  const std::uint64_t table_end = sizeof(header) + 4 * std::uint64_t{header.row_count};
  if (table_end > bytes.size()) {
    return Fail(ErrorKind::kInvalidArgument, "A slice of {} bytes has no room for the table of its {} rows.", bytes.size(),
                header.row_count);
  }
  std::uint64_t at = table_end;
  for (std::uint32_t row = 0; row < header.row_count; ++row) {
    const std::uint32_t row_bytes = LoadU32(bytes.data() + sizeof(header) + 4 * std::size_t{row});
    if (row_bytes > bytes.size() - at) {
      return Fail(ErrorKind::kInvalidArgument, "Tile row {} of {} bytes ends behind its slice.", row, row_bytes);
    }
    if (row_bytes == 0 && header.reference == 0) {
      return Fail(ErrorKind::kInvalidArgument, "Tile row {} is unchanged, but the frame refers to none.", row);
    }
    if (row_bytes != 0) {
      if (auto fault = RowFault(header, row, bytes.subspan(at, row_bytes))) return *std::move(fault);
    }
    at += row_bytes;
  }
  if (at != bytes.size()) {
    return Fail(ErrorKind::kInvalidArgument, "A slice has {} bytes, its rows end at {}.", bytes.size(), at);
  }
  return CheckedTileSlice{header, bytes};
}

}  // namespace tandem::codec
