#include <algorithm>
#include <utility>

#include "base/check.h"
#include "codec/bc1/bc1.h"
#include "codec/packed/packed_rgb.h"
#include "codec/packed/packed_yuv10.h"
#include "color/blit.h"
#include "color/convert.h"
#include "color/copy.h"
#include "color/dither.h"
#include "link/surface/link_slices.h"

namespace tandem::link {
namespace {

using Picture = LinkPicture<const std::byte>;
using Bgra8 = color::Bgra8<const std::byte>;

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint64_t UnitBytes(std::uint32_t width) { return std::uint64_t{width} * kPixelBytes * kLinkUnitRows; }
// Frames for which a slice is coded without tiles after tiles were larger.
constexpr std::uint8_t kFlatFrames = 7;

const std::byte* RowsFrom(const Picture& from, const LinkPlace& place) { return from.pixels + place.first_row * from.pitch; }

// Converts `count` rows of the picture from `first` on to B8G8R8A8, in `room`, which may be a payload. Half floats are linear.
Bgra8 Converted(const LinkSource& source, std::uint32_t first, std::uint32_t count, std::byte* room) {
  const Picture& from = source.picture;
  const std::uint64_t row_bytes = std::uint64_t{from.width} * kPixelBytes;
  const color::ConversionSource rows{from.pixels + first * from.pitch, from.pitch, from.width, count, from.format};
  if (source.colors.dithers) {
    color::DitherToBgra8(room, row_bytes, rows, color::Transfer::kLinearToSrgb, color::Alpha::kKeep, first);
  } else {
    color::ConvertToBgra8(room, row_bytes, rows, color::Transfer::kLinearToSrgb, color::Alpha::kKeep);
  }
  return {room, row_bytes, from.width, count};
}

std::uint64_t EncodePlain(const LinkPlace& place, const LinkSource& source) {
  const Picture& from = source.picture;
  const std::uint64_t row_bytes = std::uint64_t{from.width} * kPixelBytes;
  if (Converts(source)) {
    static_cast<void>(LinkedRows(source, place.first_row, place.row_count, place.payload));
  } else {
    color::CopyRows(place.payload, row_bytes, RowsFrom(from, place), from.pitch, row_bytes, place.row_count);
  }
  return row_bytes * place.row_count;
}

// Calls `code` for each unit of rows that `convert(first, count, room)` makes. `code` then reads a unit from the cache.
template <class Convert, class Code>
void InUnits(const LinkPlace& place, std::uint32_t width, std::vector<std::byte>& room, Convert&& convert, Code&& code) {
  std::byte* const unit = RoomOf(room, UnitBytes(width));
  for (std::uint32_t y = 0; y < place.row_count; y += kLinkUnitRows) {
    code(y, convert(place.first_row + y, std::min(kLinkUnitRows, place.row_count - y), unit));
  }
}

// Calls `code` with rows as B8G8R8A8, all at once if the picture has that format.
template <class Code>
void ForUnits(const LinkPlace& place, const LinkSource& source, std::vector<std::byte>& room, Code&& code) {
  const Picture& from = source.picture;
  if (IsBlueFirst(from.format)) return code(0, Bgra8{RowsFrom(from, place), from.pitch, from.width, place.row_count});
  const auto convert = [&](std::uint32_t first, std::uint32_t count, std::byte* unit) {
    return Converted(source, first, count, unit);
  };
  InUnits(place, from.width, room, convert, code);
}

// Calls `code` with rows in the linked format, all at once if the picture has that format.
template <class Code>
void ForLinkedUnits(const LinkPlace& place, const LinkSource& source, std::vector<std::byte>& room, Code&& code) {
  const auto convert = [&](std::uint32_t first, std::uint32_t count, std::byte* unit) {
    return LinkedRows(source, first, count, unit);
  };
  if (!Converts(source)) return code(0, convert(place.first_row, place.row_count, nullptr));
  InUnits(place, source.picture.width, room, convert, code);
}

std::uint64_t EncodePacked(const LinkPlace& place, const LinkSource& source, std::vector<std::byte>& room) {
  const codec::PackedRgb packing = PackingOf(LinkedFormat(source));
  const std::uint64_t row_bytes = codec::PackedRowBytes(packing, source.picture.width);
  ForLinkedUnits(place, source, room, [&](std::uint32_t y, const Picture& rows) {
    codec::PackRgb(packing, place.payload + y * row_bytes, row_bytes, rows.pixels, rows.pitch, rows.width, rows.height);
  });
  return row_bytes * place.row_count;
}

[[maybe_unused]] std::uint64_t EncodeYuv10(const LinkPlace& place, const LinkSource& source, std::vector<std::byte>& room) {
  const std::uint32_t width = source.picture.width;
  std::byte* const words = RoomOf(room, UnitBytes(width) + codec::PackedYuv10RoomBytes(width)) + UnitBytes(width);
  ForLinkedUnits(place, source, room, [&](std::uint32_t y, const Picture& rows) {
    const codec::PackedYuv10<std::byte> to(place.payload, width, place.row_count, y);
    codec::EncodePackedYuv10(to, {rows.pixels, rows.pitch, rows.width, rows.height}, source.colors.yuv.coding, words);
  });
  return codec::PackedYuv10Bytes(width, place.row_count);
}

[[maybe_unused]] std::uint64_t EncodeYuv(const LinkPlace& place, const LinkSource& source, std::vector<std::byte>& room) {
  if (HasTenBits(LinkedFormat(source))) return EncodeYuv10(place, source, room);
  const Picture& from = source.picture;
  const auto yuv = LinkYuvOf(place.payload, from.width, place.row_count);
  ForUnits(place, source, room,
           [&](std::uint32_t y, const Bgra8& rows) { color::EncodeYuv420(LinkYuvFrom(yuv, y), rows, source.colors.yuv.coding); });
  return LinkFrameBytes(LinkEncoding::kYuv420, LinkedFormat(source), from.width, place.row_count);
}

// Encodes only the changed groups and returns the bytes. 0: all groups must be coded, or they do not fit.
[[maybe_unused]] std::uint64_t EncodeInGroups(const LinkPlace& place, const codec::YuvGroupsJob& job, std::span<std::byte> room,
                                              LinkSlice& slice) {
  const auto& [width, height] = std::pair(job.picture.width, job.picture.height);
  const std::span<std::byte> map = room.first(codec::GroupMapBytes(width, height));
  const std::uint32_t all = codec::GroupsOf(width, height);
  const std::uint32_t changed = codec::MarkChangedGroups(job, map);
  if (changed == all || codec::YuvGroupsCapacity(width, height, job.full_chroma, changed) > place.capacity) return 0;
  slice.unchanged = static_cast<std::uint16_t>(std::uint64_t{1000} * (all - changed) / all);
  return codec::EncodeYuvGroups(job, map, {place.payload, place.capacity}, room.subspan(map.size()));
}

// `crossing` 0: tiles were larger than kYuv420; only the passes count. The kept rows are the eight bits that are coded.
// Unchanged pixels thus equal those eight bits, widened where the picture has ten.
[[maybe_unused]] EncodedRows EncodeYuvInTiles(const LinkPlace& place, const LinkSource& source, ReferenceRows& kept,
                                              LinkSlice& slice, std::vector<std::byte>& room) {
  const Picture& from = source.picture;
  const auto& [width, height] = std::pair(from.width, place.row_count);
  const bool converts = !IsBlueFirst(from.format);
  const std::uint64_t converted = converts ? std::uint64_t{width} * kPixelBytes * height : 0;
  const std::uint64_t work = codec::GroupMapBytes(width, height) + codec::YuvGroupsMostRoomBytes(width, height, kLinkFullChroma);
  std::byte* const all = RoomOf(room, converted + work);
  const std::span<std::byte> rest(all + converted, work);
  const Bgra8 picture =
      converts ? Converted(source, place.first_row, height, all) : Bgra8{RowsFrom(from, place), from.pitch, width, height};
  const color::YuvCoding coding = source.colors.yuv.coding;
  std::uint64_t bytes = 0;
  if (kept.compares()) {
    bytes = EncodeInGroups(place, {picture, kept.rows(), kept.pitch(), source.frame, kept.frame(), coding, kLinkFullChroma}, rest,
                           slice);
  }
  if (bytes == 0) {
    const auto coded =
        codec::EncodeYuvTiles({picture, source.frame, coding, kLinkFullChroma}, {place.payload, place.capacity}, rest);
    TANDEM_CHECK(coded.ok());  // the surface was checked, so extent and capacity are valid
    bytes = coded->bytes;
  }
  const std::uint64_t pixels = std::uint64_t{width} * height;
  EncodedRows coded{bytes, {pixels, bytes}};
  if (converts) coded.passes += {pixels, converted};
  if (bytes > LinkFrameBytes(LinkEncoding::kYuv420, LinkedFormat(source), width, height)) return {0, coded.passes};
  // Bilinear chroma depends on neighbours, which groups do not cover, so such pictures are always sent whole.
  if (source.colors.yuv.filter == color::ChromaFilter::kNearest)
    coded.passes += kept.Follow(slice, slice.unchanged, picture.pixels, picture.pitch, slice.unchanged != 1000);
  return coded;
}

std::uint64_t EncodeBlocks(const LinkPlace& place, const LinkSource& source, std::vector<std::byte>& room) {
  const Picture& from = source.picture;
  const std::uint64_t row_bytes = codec::Bc1RowBytes(from.width);
  ForUnits(place, source, room, [&](std::uint32_t y, const Bgra8& rows) {
    codec::EncodeBc1(place.payload + y / codec::kBlockExtent * row_bytes, row_bytes, rows);
  });
  return codec::Bc1Bytes(from.width, place.row_count);
}

}  // namespace

Picture LinkedRows(const LinkSource& source, std::uint32_t first, std::uint32_t count, std::byte* room) {
  const Picture& from = source.picture;
  const color::Format linked = LinkedFormat(source);
  if (linked == from.format) return {from.pixels + first * from.pitch, from.pitch, linked, from.width, count};
  if (!HasTenBits(linked)) {
    const Bgra8 rows = Converted(source, first, count, room);
    return {rows.pixels, rows.pitch, linked, from.width, count};
  }
  color::BlitRequest request;
  request.source = from.pixels + first * from.pitch;
  request.source_pitch = from.pitch;
  request.source_format = from.format;
  request.destination = room;
  request.destination_pitch = std::uint64_t{from.width} * kPixelBytes;
  request.destination_format = linked;
  request.source_width = request.destination_width = from.width;
  request.source_height = request.destination_height = count;
  request.part = {0, 0, from.width, count};
  request.transfer = color::Transfer::kLinearToSrgb;
  color::Blit(request);
  return {room, request.destination_pitch, linked, from.width, count};
}

EncodedRows EncodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const LinkSource& source, ReferenceRows& kept,
                            LinkSlice& slice, std::vector<std::byte>& room) {
  slice.encoding = static_cast<std::uint32_t>(encoding);
  const std::uint64_t pixels = std::uint64_t{source.picture.width} * place.row_count;
  const auto one_pass = [pixels](std::uint64_t bytes) { return EncodedRows{bytes, {pixels, bytes}}; };
  switch (encoding) {
    case LinkEncoding::kPacked: return one_pass(EncodePacked(place, source, room));
    case LinkEncoding::kBc1: return one_pass(EncodeBlocks(place, source, room));
    case LinkEncoding::kYuv420Tiles:
      if constexpr (color::kHasYuv420) {
        EncodedRows tried;
        if (slice.flat > 0) {
          --slice.flat;
        } else if (tried = EncodeYuvInTiles(place, source, kept, slice, room); tried.crossing != 0) {
          return tried;
        } else {
          slice.flat = kFlatFrames;
          slice.unchanged = 0;
        }
        slice.encoding = static_cast<std::uint32_t>(LinkEncoding::kYuv420);
        EncodedRows coded = one_pass(EncodeYuv(place, source, room));
        coded.passes += tried.passes;
        return coded;
      }
      break;
    case LinkEncoding::kYuv420:
      if constexpr (color::kHasYuv420) return one_pass(EncodeYuv(place, source, room));
      break;
    case LinkEncoding::kPlain:
    case LinkEncoding::kLossless: break;
  }
  return one_pass(EncodePlain(place, source));
}

}  // namespace tandem::link
