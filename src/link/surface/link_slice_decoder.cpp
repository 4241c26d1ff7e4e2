#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/bc1/bc1.h"
#include "codec/packed/packed_rgb.h"
#include "codec/packed/packed_yuv10.h"
#include "codec/packed/rgb10.h"
#include "color/blit.h"
#include "color/convert.h"
#include "color/copy.h"
#include "link/surface/link_slices.h"

namespace tandem::link {
namespace {

using Picture = LinkPicture<std::byte>;
using Bgra8 = color::Bgra8<std::byte>;

constexpr std::uint32_t kPixelBytes = 4;

std::byte* RowsOf(const Picture& to, const LinkPlace& place) { return to.pixels + place.first_row * to.pitch; }

// Converts B8G8R8A8 to the picture's format.
void ConvertBack(const Picture& to, std::byte* rows, const color::Bgra8<const std::byte>& from) {
  if (HasTenBits(to.format)) return codec::WidenToRgb10({rows, to.pitch, from.width, from.height}, from.pixels, from.pitch);
  // Swapping blue and red is its own inverse.
  color::ConvertToBgra8(rows, to.pitch, {from.pixels, from.pitch, from.width, from.height, to.format},
                        color::Transfer::kPassThrough, color::Alpha::kKeep);
}

// Copies decoded upright rows, the picture's from `y` on, to their place in the rotated picture.
void Turn(const LinkTarget& target, std::uint32_t y, const color::Bgra8<const std::byte>& rows) {
  const Picture& to = target.picture;
  const color::BlitRect at = color::RotatedRect({0, y, to.width, y + rows.height}, to.width, to.height, target.rotation);
  std::byte* const first = to.pixels + at.top * to.pitch + std::uint64_t{kPixelBytes} * at.left;
  const auto turn = color::TurnOf(rows.pixels, rows.pitch, to.format, to.width, rows.height, first, to.pitch, target.rotation);
  color::BlitPart(turn, std::uint64_t{kPixelBytes} * to.width * to.height);
}

// The way to decode the rows of a slice.
struct Making {
  bool blue_first = false;                 // rows become B8G8R8A8, else the picture's format
  std::uint32_t rows = 2 * kLinkUnitRows;  // rows at a time when they cannot be decoded straight into the picture
  std::uint64_t used = 0;                  // bytes at the start of the room that decoding uses
};

// Row count of a slice's first piece. Rotated by 270 degrees, later rows stand left of earlier ones. The first piece ends so
// that later pieces begin at a cache line. Pieces begin where blocks do; a slice that is decoded at once has one piece.
std::uint32_t FirstPiece(const LinkPlace& place, const LinkTarget& target, std::uint32_t rows) {
  const bool whole = rows >= place.row_count;
  if (whole || target.rotation != color::Rotation::k270 || target.picture.height % codec::kBlockExtent != 0) return rows;
  const std::uint32_t into_line = (target.picture.height - place.first_row) % kLinkUnitRows;
  return into_line == 0 ? rows : std::min(into_line, rows);
}

// Calls `make` to fill the slice's rows from `y` on, in the picture or in the room. Rows in the room are converted and rotated
// while they are still in the cache.
template <class Make>
void ForRows(const LinkPlace& place, const LinkTarget& target, const Making& how, std::vector<std::byte>& room, Make&& make) {
  const Picture& to = target.picture;
  const bool converts = how.blue_first && !IsBlueFirst(to.format);
  const bool turns = target.rotation != color::Rotation::kIdentity;
  const std::uint64_t row_bytes = std::uint64_t{to.width} * kPixelBytes;
  const std::uint64_t unit_bytes = row_bytes * how.rows;
  std::byte* const unit = RoomOf(room, how.used + ((converts ? 1 : 0) + (turns ? 1 : 0)) * unit_bytes) + how.used;
  std::byte* const rows = RowsOf(to, place);
  if (!converts && !turns) return make(0, Bgra8{rows, to.pitch, to.width, place.row_count});
  std::uint32_t count = FirstPiece(place, target, how.rows);
  for (std::uint32_t y = 0; y < place.row_count; y += std::exchange(count, how.rows)) {
    Bgra8 part{unit, row_bytes, to.width, std::min(count, place.row_count - y)};
    make(y, part);
    if (!turns) {
      ConvertBack(to, rows + y * to.pitch, {part.pixels, part.pitch, part.width, part.height});
      continue;
    }
    if (converts) {
      const Picture upright{unit + unit_bytes, row_bytes, to.format, to.width, part.height};
      ConvertBack(upright, upright.pixels, {part.pixels, part.pitch, part.width, part.height});
      part.pixels = upright.pixels;
    }
    Turn(target, place.first_row + y, {part.pixels, part.pitch, part.width, part.height});
  }
}

[[maybe_unused]] void DecodeYuv(const LinkPlace& place, const LinkTarget& target, std::vector<std::byte>& room) {
  const auto& how = target.yuv;
  if (HasTenBits(target.picture.format)) {
    Making tens;
    tens.rows = place.row_count;
    tens.used = codec::PackedYuv10RoomBytes(target.picture.width);
    return ForRows(place, target, tens, room, [&](std::uint32_t /*y*/, const Bgra8& rows) {
      codec::DecodePackedYuv10({rows.pixels, rows.pitch, rows.width, rows.height}, {place.payload, rows.width, rows.height, 0},
                               how.coding, room.data());
    });
  }
  Making eights;
  eights.blue_first = true;
  // Bilinear rows at the edge of a unit need chroma of the next unit.
  if (how.filter == color::ChromaFilter::kBilinear) eights.rows = place.row_count;
  const auto yuv = LinkYuvOf<const std::byte>(place.payload, target.picture.width, place.row_count);
  ForRows(place, target, eights, room,
          [&](std::uint32_t y, const Bgra8& rows) { color::DecodeYuv420(rows, LinkYuvFrom(yuv, y), how.coding, how.filter); });
}

// Decodes the changed groups into the picture; other pixels stay.
[[maybe_unused]] void DecodeInGroups(const LinkPlace& place, const codec::CheckedYuvGroups& groups, const LinkTarget& target,
                                     std::vector<std::byte>& room) {
  const Picture& to = target.picture;
  const std::uint64_t work = codec::YuvGroupsRoomBytes(groups);
  if (work == 0) return;
  const Bgra8 packed = codec::DecodeYuvGroups(groups, target.yuv.coding, {RoomOf(room, work), work});
  codec::ForGroups(to.width, place.row_count, groups.map, groups.header.groups, [&](const codec::YuvGroup& group) {
    const std::uint64_t left = std::uint64_t{kPixelBytes} * group.left;
    std::byte* const rows = RowsOf(to, place) + group.top * to.pitch + left;
    const std::byte* const from =
        packed.pixels + group.packed_top * packed.pitch + std::uint64_t{kPixelBytes} * group.packed_left;
    if (IsBlueFirst(to.format)) {
      for (std::uint32_t y = 0; y < group.height; ++y)
        std::memcpy(rows + y * to.pitch, from + y * packed.pitch, std::size_t{kPixelBytes} * group.width);
    } else {
      ConvertBack(to, rows, {from, packed.pitch, group.width, group.height});
    }
  });
}

[[maybe_unused]] void DecodeYuvInTiles(const LinkPlace& place, const codec::CheckedYuvGroups& tiles, const LinkTarget& target,
                                       std::vector<std::byte>& room) {
  if (tiles.header.reference != 0) return DecodeInGroups(place, tiles, target, room);
  const codec::CheckedYuvTiles& picture = tiles.picture;
  const std::uint64_t planes = codec::YuvTilesRoomBytes(picture.header);
  ForRows(place, target, {true, place.row_count, planes}, room, [&](std::uint32_t /*y*/, const Bgra8& rows) {
    codec::DecodeYuvTiles(picture, rows, target.yuv.coding, target.yuv.filter, {room.data(), planes});
  });
}

void CopyPlain(const LinkPlace& place, const LinkTarget& target) {
  const Picture& to = target.picture;
  const std::uint64_t row_bytes = std::uint64_t{to.width} * kPixelBytes;
  if (target.rotation != color::Rotation::kIdentity)
    return Turn(target, place.first_row, {place.payload, row_bytes, to.width, place.row_count});
  color::CopyRows(RowsOf(to, place), to.pitch, place.payload, row_bytes, row_bytes, place.row_count);
}

}  // namespace

void DecodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const codec::CheckedYuvGroups& tiles,
                     const LinkTarget& target, std::vector<std::byte>& room) {
  const Picture& to = target.picture;
  switch (encoding) {
    case LinkEncoding::kPlain: return CopyPlain(place, target);
    case LinkEncoding::kPacked:
      return ForRows(place, target, {}, room, [&](std::uint32_t y, const Bgra8& rows) {
        const codec::PackedRgb packing = PackingOf(to.format);
        const std::uint64_t row_bytes = codec::PackedRowBytes(packing, to.width);
        codec::UnpackRgb(packing, rows.pixels, rows.pitch, place.payload + y * row_bytes, row_bytes, rows.width, rows.height);
      });
    case LinkEncoding::kYuv420:
      if constexpr (color::kHasYuv420) DecodeYuv(place, target, room);
      return;
    case LinkEncoding::kYuv420Tiles:
      if constexpr (color::kHasYuv420) DecodeYuvInTiles(place, tiles, target, room);
      return;
    case LinkEncoding::kBc1:
      return ForRows(place, target, {true}, room, [&](std::uint32_t y, const Bgra8& rows) {
        const std::uint64_t row_bytes = codec::Bc1RowBytes(to.width);
        codec::DecodeBc1(rows, place.payload + y / codec::kBlockExtent * row_bytes, row_bytes);
      });
    case LinkEncoding::kLossless: return;
  }
}

}  // namespace tandem::link
