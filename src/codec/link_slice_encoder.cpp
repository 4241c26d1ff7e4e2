#include <algorithm>
#include <utility>

#include "base/check.h"
#include "codec/bc1.h"
#include "codec/link_slices.h"
#include "codec/packed_rgb.h"
#include "color/convert.h"
#include "color/copy.h"

namespace tandem::codec {
namespace {

using Picture = LinkPicture<const std::byte>;
using Bgra8 = color::Bgra8<const std::byte>;

constexpr std::uint32_t kPixelBytes = 4;
// A slice that was larger in tiles is coded without them for so many frames.
constexpr std::uint16_t kFlatFrames = 7;

const std::byte* RowsFrom(const Picture& from, const LinkPlace& place) { return from.pixels + place.first_row * from.pitch; }

// Rows of the slice as B8G8R8A8, made in `room`, which may be a payload. Half floats are linear.
Bgra8 Converted(const Picture& from, const std::byte* rows, std::uint32_t count, std::byte* room) {
  const std::uint64_t row_bytes = std::uint64_t{from.width} * kPixelBytes;
  color::ConvertToBgra8(room, row_bytes, {rows, from.pitch, from.width, count, from.format}, color::Transfer::kLinearToSrgb,
                        color::Alpha::kKeep);
  return {room, row_bytes, from.width, count};
}

std::uint64_t EncodePlain(const LinkPlace& place, const Picture& from) {
  const std::uint64_t row_bytes = std::uint64_t{from.width} * kPixelBytes;
  if (LinkedFormat(from.format) != from.format) {
    static_cast<void>(Converted(from, RowsFrom(from, place), place.row_count, place.payload));
  } else {
    color::CopyRows(place.payload, row_bytes, RowsFrom(from, place), from.pitch, row_bytes, place.row_count);
  }
  return row_bytes * place.row_count;
}

// Calls `code` with a row of the slice and the rows from there on: all of them, or where they have to be converted a unit at a
// time, which is then read again from the cache.
template <class Code>
void ForUnits(const LinkPlace& place, const Picture& from, std::vector<std::byte>& room, Code&& code) {
  const std::byte* const rows = RowsFrom(from, place);
  if (IsBlueFirst(from.format)) return code(0, Bgra8{rows, from.pitch, from.width, place.row_count});
  std::byte* const unit = RoomOf(room, std::uint64_t{from.width} * kPixelBytes * kLinkUnitRows);
  for (std::uint32_t y = 0; y < place.row_count; y += kLinkUnitRows) {
    const std::uint32_t count = std::min(kLinkUnitRows, place.row_count - y);
    code(y, Converted(from, rows + y * from.pitch, count, unit));
  }
}

std::uint64_t EncodePacked(const LinkPlace& place, const Picture& from, std::vector<std::byte>& room) {
  const PackedRgb packing = PackingOf(from.format);
  const std::uint64_t row_bytes = PackedRowBytes(packing, from.width);
  if (LinkedFormat(from.format) != from.format) {
    ForUnits(place, from, room, [&](std::uint32_t y, const Bgra8& rows) {
      PackRgb(packing, place.payload + y * row_bytes, row_bytes, rows.pixels, rows.pitch, rows.width, rows.height);
    });
  } else {
    PackRgb(packing, place.payload, row_bytes, RowsFrom(from, place), from.pitch, from.width, place.row_count);
  }
  return row_bytes * place.row_count;
}

[[maybe_unused]] std::uint64_t EncodeYuv(const LinkPlace& place, const Picture& from, std::vector<std::byte>& room) {
  const auto yuv = LinkYuvOf(place.payload, from.width, place.row_count);
  ForUnits(place, from, room, [&](std::uint32_t y, const Bgra8& rows) { color::EncodeYuv420(LinkYuvFrom(yuv, y), rows, {}); });
  return LinkFrameBytes(LinkEncoding::kYuv420, from.format, from.width, place.row_count);
}

// The groups that changed, where any did not. 0: all come.
[[maybe_unused]] std::uint64_t EncodeInGroups(const LinkPlace& place, const YuvGroupsJob& job, std::span<std::byte> room,
                                              LinkSlice& slice) {
  const auto& [width, height] = std::pair(job.picture.width, job.picture.height);
  const std::span<std::byte> map = room.first(GroupMapBytes(width, height));
  const std::uint32_t all = GroupsOf(width, height);
  const std::uint32_t changed = MarkChangedGroups(job, map);
  if (changed == all || YuvGroupsCapacity(width, height, job.full_chroma, changed) > place.capacity) return 0;
  slice.unchanged = static_cast<std::uint16_t>(std::uint64_t{1000} * (all - changed) / all);
  return EncodeYuvGroups(job, map, {place.payload, place.capacity}, room.subspan(map.size()));
}

// 0: larger than without tiles.
[[maybe_unused]] std::uint64_t EncodeYuvInTiles(const LinkPlace& place, const Picture& from, std::uint64_t frame, KeptRows& kept,
                                                LinkSlice& slice, std::vector<std::byte>& room) {
  const auto& [width, height] = std::pair(from.width, place.row_count);
  const bool converts = !IsBlueFirst(from.format);
  const std::uint64_t converted = converts ? std::uint64_t{width} * kPixelBytes * height : 0;
  std::uint64_t work = YuvTilesRoomBytes(width, height, kLinkFullChroma);
  if (kept.compares()) {
    const std::uint64_t groups = YuvGroupsRoomBytes(width, height, kLinkFullChroma, GroupsOf(width, height));
    work = std::max(work, GroupMapBytes(width, height) + groups);
  }
  std::byte* const all = RoomOf(room, converted + work);
  const std::span<std::byte> rest(all + converted, work);
  const std::byte* const rows = RowsFrom(from, place);
  const Bgra8 picture = converts ? Converted(from, rows, height, all) : Bgra8{rows, from.pitch, width, height};
  std::uint64_t bytes = 0;
  if (kept.compares()) {
    bytes = EncodeInGroups(place, {picture, kept.rows(), kept.pitch(), frame, kept.frame(), kLinkFullChroma}, rest, slice);
  }
  if (bytes == 0) {
    const auto coded = EncodeYuvTiles({picture, frame, {}, kLinkFullChroma}, {place.payload, place.capacity}, rest);
    TANDEM_CHECK(coded.ok());  // extent and capacity are the surface's, which was checked
    bytes = coded->bytes;
  }
  if (bytes > LinkFrameBytes(LinkEncoding::kYuv420, from.format, width, height)) return 0;
  kept.Follow(slice, picture.pixels, picture.pitch, slice.unchanged != 1000);
  return bytes;
}

std::uint64_t EncodeBlocks(const LinkPlace& place, const Picture& from, std::vector<std::byte>& room) {
  const std::uint64_t row_bytes = Bc1RowBytes(from.width);
  ForUnits(place, from, room,
           [&](std::uint32_t y, const Bgra8& rows) { EncodeBc1(place.payload + y / kBlockExtent * row_bytes, row_bytes, rows); });
  return Bc1Bytes(from.width, place.row_count);
}

}  // namespace

Picture LinkedRows(const LinkPlace& place, const Picture& from, std::vector<std::byte>& room) {
  Picture rows = from;
  rows.pixels = RowsFrom(from, place);
  rows.height = place.row_count;
  if (LinkedFormat(from.format) == from.format) return rows;
  const std::uint64_t row_bytes = std::uint64_t{from.width} * kPixelBytes;
  const Bgra8 converted = Converted(from, rows.pixels, place.row_count, RoomOf(room, row_bytes * place.row_count));
  return {converted.pixels, converted.pitch, LinkedFormat(from.format), from.width, place.row_count};
}

std::uint64_t EncodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const Picture& from, std::uint64_t frame,
                              KeptRows& kept, LinkSlice& slice, std::vector<std::byte>& room) {
  slice.encoding = static_cast<std::uint32_t>(encoding);
  switch (encoding) {
    case LinkEncoding::kPacked: return EncodePacked(place, from, room);
    case LinkEncoding::kBc1: return EncodeBlocks(place, from, room);
    case LinkEncoding::kYuv420Tiles:
      if constexpr (color::kHasYuv420) {
        if (slice.flat > 0) {
          --slice.flat;
        } else if (const std::uint64_t bytes = EncodeYuvInTiles(place, from, frame, kept, slice, room); bytes != 0) {
          return bytes;
        } else {
          slice.flat = kFlatFrames;
          slice.unchanged = 0;
        }
        slice.encoding = static_cast<std::uint32_t>(LinkEncoding::kYuv420);
        return EncodeYuv(place, from, room);
      }
      break;
    case LinkEncoding::kYuv420:
      if constexpr (color::kHasYuv420) return EncodeYuv(place, from, room);
      break;
    case LinkEncoding::kPlain:
    case LinkEncoding::kLossless: break;
  }
  return EncodePlain(place, from);
}

}  // namespace tandem::codec
