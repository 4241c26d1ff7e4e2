#include <algorithm>
#include <cstring>
#include <span>

#include "codec/bc1.h"
#include "codec/link_slices.h"
#include "codec/packed_rgb.h"
#include "codec/packed_yuv10.h"
#include "codec/rgb10.h"
#include "color/convert.h"
#include "color/copy.h"

namespace tandem::codec {
namespace {

using Picture = LinkPicture<std::byte>;
using Bgra8 = color::Bgra8<std::byte>;

constexpr std::uint32_t kPixelBytes = 4;

std::byte* RowsOf(const Picture& to, const LinkPlace& place) { return to.pixels + place.first_row * to.pitch; }

// From B8G8R8A8 to what the picture has.
void ConvertBack(const Picture& to, std::byte* rows, const color::Bgra8<const std::byte>& from) {
  if (HasTenBits(to.format)) return WidenToRgb10({rows, to.pitch, from.width, from.height}, from.pixels, from.pitch);
  // Changing blue for red is its own inverse.
  color::ConvertToBgra8(rows, to.pitch, {from.pixels, from.pitch, from.width, from.height, to.format},
                        color::Transfer::kPassThrough, color::Alpha::kKeep);
}

// As ForUnits of the encoder: `code` fills the rows that it is given.
template <class Code>
void ForUnits(const LinkPlace& place, const Picture& to, std::vector<std::byte>& room, Code&& code) {
  std::byte* const rows = RowsOf(to, place);
  if (IsBlueFirst(to.format)) return code(0, Bgra8{rows, to.pitch, to.width, place.row_count});
  const std::uint64_t row_bytes = std::uint64_t{to.width} * kPixelBytes;
  std::byte* const unit = RoomOf(room, row_bytes * kLinkUnitRows);
  for (std::uint32_t y = 0; y < place.row_count; y += kLinkUnitRows) {
    const Bgra8 part{unit, row_bytes, to.width, std::min(kLinkUnitRows, place.row_count - y)};
    code(y, part);
    ConvertBack(to, rows + y * to.pitch, {part.pixels, part.pitch, part.width, part.height});
  }
}

// The slice's rows as B8G8R8A8, which `code` fills: the picture's own, or behind `used` bytes of the room, from where they are
// converted.
template <class Code>
void ForWhole(const LinkPlace& place, const Picture& to, std::uint64_t used, std::vector<std::byte>& room, Code&& code) {
  const bool converts = !IsBlueFirst(to.format);
  const std::uint64_t row_bytes = std::uint64_t{to.width} * kPixelBytes;
  std::byte* const all = RoomOf(room, used + (converts ? row_bytes * place.row_count : 0));
  const Bgra8 rows = converts ? Bgra8{all + used, row_bytes, to.width, place.row_count}
                              : Bgra8{RowsOf(to, place), to.pitch, to.width, place.row_count};
  code(std::span<std::byte>(all, used), rows);
  if (converts) ConvertBack(to, RowsOf(to, place), {rows.pixels, rows.pitch, rows.width, rows.height});
}

[[maybe_unused]] void DecodeYuv(const LinkPlace& place, const LinkTarget& target, std::vector<std::byte>& room) {
  const auto& [to, how] = target;
  if (HasTenBits(to.format)) {
    std::byte* const words = RoomOf(room, PackedYuv10RoomBytes(to.width));
    return DecodePackedYuv10({RowsOf(to, place), to.pitch, to.width, place.row_count},
                             {place.payload, to.width, place.row_count, 0}, how.coding, words);
  }
  const auto yuv = LinkYuvOf<const std::byte>(place.payload, to.width, place.row_count);
  const auto decode = [&yuv, &how = how](std::uint32_t y, const Bgra8& rows) {
    color::DecodeYuv420(rows, LinkYuvFrom(yuv, y), how.coding, how.filter);
  };
  if (how.filter == color::ChromaFilter::kNearest) return ForUnits(place, to, room, decode);
  // Rows at the edge of a unit take chroma of the next one.
  ForWhole(place, to, 0, room, [&](std::span<std::byte> /*planes*/, const Bgra8& rows) { decode(0, rows); });
}

// The groups that come to their places; the others' pixels stay.
[[maybe_unused]] void DecodeInGroups(const LinkPlace& place, const CheckedYuvGroups& groups, const LinkTarget& target,
                                     std::vector<std::byte>& room) {
  const Picture& to = target.picture;
  const std::uint64_t work = YuvGroupsRoomBytes(groups);
  if (work == 0) return;
  const Bgra8 packed = DecodeYuvGroups(groups, target.yuv.coding, {RoomOf(room, work), work});
  ForGroups(to.width, place.row_count, groups.map, groups.header.groups, [&](const YuvGroup& group) {
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

[[maybe_unused]] void DecodeYuvInTiles(const LinkPlace& place, const CheckedYuvGroups& tiles, const LinkTarget& target,
                                       std::vector<std::byte>& room) {
  if (tiles.header.reference != 0) return DecodeInGroups(place, tiles, target, room);
  const CheckedYuvTiles& picture = tiles.picture;
  ForWhole(place, target.picture, YuvTilesRoomBytes(picture.header), room, [&](std::span<std::byte> planes, const Bgra8& rows) {
    DecodeYuvTiles(picture, rows, target.yuv.coding, target.yuv.filter, planes);
  });
}

void DecodeBlocks(const LinkPlace& place, const Picture& to, std::vector<std::byte>& room) {
  const std::uint64_t row_bytes = Bc1RowBytes(to.width);
  ForUnits(place, to, room,
           [&](std::uint32_t y, const Bgra8& rows) { DecodeBc1(rows, place.payload + y / kBlockExtent * row_bytes, row_bytes); });
}

}  // namespace

void DecodeSliceRows(LinkEncoding encoding, const LinkPlace& place, const CheckedYuvGroups& tiles, const LinkTarget& target,
                     std::vector<std::byte>& room) {
  const Picture& to = target.picture;
  const std::uint64_t row_bytes = std::uint64_t{to.width} * kPixelBytes;
  switch (encoding) {
    case LinkEncoding::kPlain:
      color::CopyRows(RowsOf(to, place), to.pitch, place.payload, row_bytes, row_bytes, place.row_count);
      return;
    case LinkEncoding::kPacked:
      UnpackRgb(PackingOf(to.format), RowsOf(to, place), to.pitch, place.payload, PackedRowBytes(PackingOf(to.format), to.width),
                to.width, place.row_count);
      return;
    case LinkEncoding::kYuv420:
      if constexpr (color::kHasYuv420) DecodeYuv(place, target, room);
      return;
    case LinkEncoding::kYuv420Tiles:
      if constexpr (color::kHasYuv420) DecodeYuvInTiles(place, tiles, target, room);
      return;
    case LinkEncoding::kBc1: DecodeBlocks(place, to, room); return;
    case LinkEncoding::kLossless: return;
  }
}

}  // namespace tandem::codec
