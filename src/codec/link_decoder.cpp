#include <algorithm>
#include <array>

#include "codec/link_parts.h"
#include "codec/link_rows.h"
#include "codec/tile_decoder.h"
#include "color/convert.h"
#include "color/copy.h"

namespace tandem::codec {
namespace {

constexpr std::uint32_t kPixelBytes = 4;

using Picture = LinkPicture<std::byte>;

// A slice that may be decoded.
struct SoundSlice {
  LinkPlace place;
  LinkSlice slice;
  LinkHeld held;
  CheckedTileSlice tiles;  // of kLossless
};

Result<void> CheckTiles(const LinkPlace& place, const LinkSlice& slice, const LinkHeld& held, std::uint32_t width,
                        CheckedTileSlice& tiles) {
  const auto checked = CheckTileSlice({place.payload, slice.bytes});
  if (!checked.ok()) return checked.error();
  const TileSliceHeader& header = checked->header;
  if (header.width != width || header.height != place.row_count || header.first_row != 0 ||
      header.row_count != TileRows(place.row_count) || header.content != static_cast<std::uint8_t>(TileContent::kBgrx8) ||
      header.frame != slice.frame) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} holds {} x {} samples of frame {}; {} x {} of frame {} are expected.",
                place.index, header.width, header.height, header.frame, width, place.row_count, slice.frame);
  }
  if (header.reference != 0 && header.reference != held.frame) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} refers to frame {}, but frame {} is held.", place.index, header.reference,
                held.frame);
  }
  tiles = *checked;
  return {};
}

Result<void> CheckSlice(const LinkWalk& walk, const SoundSlice& sound, std::uint32_t width, CheckedTileSlice& tiles) {
  const LinkSlice& slice = sound.slice;
  if (slice.frame != walk.header().frame) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} is of frame {}; frame {} is expected.", sound.place.index, slice.frame,
                walk.header().frame);
  }
  if (sound.held.frame > slice.frame) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} of frame {} came after frame {}.", sound.place.index, slice.frame,
                sound.held.frame);
  }
  if (slice.encoding >= kLinkEncodings || slice.bytes > sound.place.capacity) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} has {} bytes in encoding {}; its place has {}, encodings end before {}.",
                sound.place.index, slice.bytes, slice.encoding, sound.place.capacity, kLinkEncodings);
  }
  const auto encoding = static_cast<LinkEncoding>(slice.encoding);
  if (!IsBuilt(encoding)) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} is in encoding {}, which this build leaves out.", sound.place.index,
                ToString(encoding));
  }
  if (encoding == LinkEncoding::kLossless) return CheckTiles(sound.place, slice, sound.held, width, tiles);
  const std::uint64_t expected = LinkFrameBytes(encoding, width, sound.place.row_count);
  if (slice.bytes == expected) return {};
  return Fail(ErrorKind::kInvalidArgument, "Slice {} has {} bytes of {} rows in encoding {}; {} are expected.", sound.place.index,
              slice.bytes, sound.place.row_count, ToString(encoding), expected);
}

[[maybe_unused]] void DecodeYuv(const LinkPlace& place, const Picture& to, std::vector<std::byte>& room) {
  const auto yuv = LinkYuvOf<const std::byte>(place.payload, to.width, place.row_count);
  std::byte* const rows = to.pixels + place.first_row * to.pitch;
  if (!IsRedFirst(to.format)) {
    color::DecodeYuv420({rows, to.pitch, to.width, place.row_count}, yuv, {}, color::ChromaFilter::kNearest);
    return;
  }
  const std::uint64_t row_bytes = std::uint64_t{to.width} * kPixelBytes;
  if (room.size() < row_bytes * kLinkUnitRows) room.resize(row_bytes * kLinkUnitRows);
  for (std::uint32_t y = 0; y < place.row_count; y += kLinkUnitRows) {
    const std::uint32_t count = std::min(kLinkUnitRows, place.row_count - y);
    auto part = yuv;
    part.y += y * yuv.y_pitch;
    part.u += y / 2 * yuv.chroma_pitch;
    color::DecodeYuv420({room.data(), row_bytes, to.width, count}, part, {}, color::ChromaFilter::kNearest);
    // Changing blue for red is its own inverse.
    color::ConvertToBgra8(rows + y * to.pitch, to.pitch, {room.data(), row_bytes, to.width, count, to.format},
                          color::Transfer::kPassThrough, color::Alpha::kKeep);
  }
}

void Decode(const SoundSlice& sound, const Picture& to, std::vector<std::byte>& room) {
  std::byte* const rows = to.pixels + sound.place.first_row * to.pitch;
  switch (static_cast<LinkEncoding>(sound.slice.encoding)) {
    case LinkEncoding::kPlain: {
      const std::uint64_t row_bytes = std::uint64_t{to.width} * kPixelBytes;
      color::CopyRows(rows, to.pitch, sound.place.payload, row_bytes, row_bytes, sound.place.row_count);
      return;
    }
    case LinkEncoding::kLossless:
      DecodeTileSlice(sound.tiles, {rows, to.pitch, to.width, sound.place.row_count},
                      {rows, to.pitch, to.width, sound.place.row_count});
      return;
    case LinkEncoding::kYuv420:
      if constexpr (color::kHasYuv420) DecodeYuv(sound.place, to, room);
      return;
  }
}

struct SoundSlices {
  std::array<SoundSlice, kMaxLinkSlices> slices;
  std::uint32_t count = 0;
};

Result<LinkWalk> FindSound(const LinkRows& rows, color::Format format, std::uint32_t width, std::uint32_t height,
                           SoundSlices& sound) {
  if (!CanCrossLink(format)) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} does not cross a link.", color::ToString(format));
  }
  auto walk = LinkWalk::Begin(rows, width, height);
  if (!walk.ok()) return walk;
  for (std::uint32_t index = walk->first(); index < walk->end(); ++index) {
    SoundSlice& next = sound.slices[sound.count];
    next.place = walk->PlaceOf(index);
    next.slice = walk->Load(index);
    next.held = walk->LoadHeld(index);
    // Decoded before, by a command that is run again.
    if (next.slice.frame == walk->header().frame && next.held.frame == next.slice.frame) continue;
    if (auto checked = CheckSlice(*walk, next, width, next.tiles); !checked.ok()) return std::move(checked).error();
    ++sound.count;
  }
  return walk;
}

}  // namespace

Result<void> DecodeLinkRows(const LinkRows& rows, const LinkPicture<std::byte>& to, Clock& clock, std::vector<std::byte>& room) {
  SoundSlices sound;
  const auto walk = FindSound(rows, to.format, to.width, to.height, sound);
  if (!walk.ok()) return walk.error();
  for (std::uint32_t i = 0; i < sound.count; ++i) {
    const SoundSlice& slice = sound.slices[i];
    const std::int64_t begin_ns = clock.NowNs();
    Decode(slice, to, room);
    walk->Store(slice.place.index, LinkHeld{slice.slice.frame, static_cast<std::uint64_t>(clock.NowNs() - begin_ns)});
  }
  return {};
}

Result<LinkParts> LinkPartsToDecode(const LinkRows& rows, color::Format format, std::uint32_t width, std::uint32_t height) {
  SoundSlices sound;
  const auto walk = FindSound(rows, format, width, height, sound);
  if (!walk.ok()) return walk.error();
  LinkParts parts;
  for (; parts.count < sound.count; ++parts.count) {
    const SoundSlice& slice = sound.slices[parts.count];
    LinkPart& part = parts.parts[parts.count];
    part.encoding = static_cast<LinkEncoding>(slice.slice.encoding);
    part.index = slice.place.index;
    part.first_row = slice.place.first_row;
    part.row_count = slice.place.row_count;
    part.payload = LinkPayloadOffset(width, part.first_row);
    part.capacity = slice.place.capacity;
    part.bytes = slice.slice.bytes;
    part.frame = slice.slice.frame;
    part.held = slice.held.frame;
  }
  return parts;
}

}  // namespace tandem::codec
