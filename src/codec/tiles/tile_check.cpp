#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/limits.h"
#include "codec/simd/strip_functions.h"
#include "codec/tiles/tile_decoder.h"
#include "codec/tiles/tile_format.h"

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

// Checks predicted tiles, eight at a time.
class PredictedTiles {
 public:
  PredictedTiles(const StripFunctions& strip, std::uint32_t row, std::uint32_t channels, const std::uint8_t* end)
      : strip_(strip), row_(row), channels_(channels), end_(end) {}

  // Returns false if a checked tile is not sound.
  bool Add(std::uint32_t tile, const std::uint8_t* at, std::uint32_t bytes) {
    tiles_[count_] = at;
    bytes_[count_] = bytes;
    numbers_[count_] = tile;
    return ++count_ < kStripTiles || Look();
  }

  bool Look() {
    std::fill(tiles_ + count_, tiles_ + kStripTiles, nullptr);
    // Tiles near the slice's end are copied, because bytes behind the slice must not be read.
    for (std::uint32_t i = count_; i > 0 && static_cast<std::size_t>(end_ - tiles_[i - 1]) < bytes_[i - 1] + kTileReadSlack;
         --i) {
      std::memcpy(copies_[i - 1], tiles_[i - 1], bytes_[i - 1]);
      tiles_[i - 1] = copies_[i - 1];
    }
    unsound_ = strip_.unsound(tiles_, bytes_, channels_);
    if (unsound_ == 0) count_ = 0;
    return unsound_ == 0;
  }

  [[nodiscard]] Error Fault() const {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(unsound_));
    return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} does not have the {} bytes that it says.", numbers_[first], row_,
                bytes_[first]);
  }

 private:
  const StripFunctions& strip_;
  const std::uint32_t row_;
  const std::uint32_t channels_;
  const std::uint8_t* const end_;
  const std::uint8_t* tiles_[kStripTiles];
  std::uint64_t bytes_[kStripTiles] = {};
  std::uint32_t numbers_[kStripTiles];
  std::uint32_t count_ = 0;
  std::uint32_t unsound_ = 0;
  std::uint8_t copies_[kStripTiles][256 + kTileReadSlack];  // a predicted tile has fewer than 256 bytes
};

// Bytes of eight tiles. Precondition: a tile with bytes precedes them or is their first. kLookAtEach: they must be checked one
// by one.
std::uint32_t SoundStripBytes(const StripFunctions& strip, const TileSliceHeader& header, const std::uint8_t* entries,
                              std::span<const std::uint8_t> tiles) {
  std::uint64_t all = 0;
  std::memcpy(&all, entries, sizeof(all));
  const bool has_unchanged = ((all - kEveryByte) & ~all & 0x80 * kEveryByte) != 0;
  if (has_unchanged && header.reference == 0) return kLookAtEach;
  if ((all & ~(kEntryRepeated * kEveryByte)) == 0) return 0;
  if (strip.sound_bytes == nullptr || tiles.size() < kStripReadBytes) return kLookAtEach;
  return strip.sound_bytes(entries, tiles.data(), header.content);
}

std::optional<Error> RowFault(const TileSliceHeader& header, std::uint32_t row, std::span<const std::byte> bytes,
                              const std::uint8_t* slice_end) {
  const std::uint32_t tiles = TilesAcross(header.width);
  const auto* const entries = reinterpret_cast<const std::uint8_t*>(bytes.data());
  if (bytes.size() < tiles) {
    return Fail(ErrorKind::kInvalidArgument, "Tile row {} has {} bytes; its {} entries do not fit.", row, bytes.size(), tiles);
  }
  const StripFunctions& functions = simd::StripFunctionsHere();
  PredictedTiles predicted(functions, row, header.content, slice_end);
  std::uint64_t at = tiles;
  bool any = false;  // a tile with bytes was seen
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    if (tiles - tile >= kStripTiles && tile % kStripTiles == 0 && (any || entries[tile] > kEntryRepeated)) {
      const std::uint64_t strip = SoundStripBytes(functions, header, entries + tile, {entries + at, slice_end});
      if (strip <= bytes.size() - at) {
        at += strip;
        any = true;
        tile += kStripTiles - 1;
        continue;
      }
    }
    const std::uint8_t entry = entries[tile];
    if (entry == kEntryUnchanged && header.reference == 0) {
      return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} is unchanged, but the frame refers to none.", tile, row);
    }
    if (entry == kEntryRepeated && !any) {
      return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} repeats one that is not there.", tile, row);
    }
    if (entry <= kEntryRepeated) continue;
    any = true;
    const std::uint32_t size = TileBytes(entry, header.content);
    if (size > bytes.size() - at) {
      return Fail(ErrorKind::kInvalidArgument, "Tile {} of row {} ends {} bytes behind its row.", tile, row,
                  at + size - bytes.size());
    }
    if (entry >= kEntryPredicted && !predicted.Add(tile, entries + at, size)) return predicted.Fault();
    at += size;
  }
  if (!predicted.Look()) return predicted.Fault();
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
  const auto* const end = reinterpret_cast<const std::uint8_t*>(bytes.data() + bytes.size());
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
      if (auto fault = RowFault(header, row, bytes.subspan(at, row_bytes), end)) return *std::move(fault);
    }
    at += row_bytes;
  }
  if (at != bytes.size()) {
    return Fail(ErrorKind::kInvalidArgument, "A slice has {} bytes, its rows end at {}.", bytes.size(), at);
  }
  return CheckedTileSlice{header, bytes};
}

}  // namespace tandem::codec
