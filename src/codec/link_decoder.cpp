#include <algorithm>
#include <array>

#include "codec/link_parts.h"
#include "codec/link_slices.h"
#include "codec/tile_decoder.h"

namespace tandem::codec {
namespace {

using Picture = LinkPicture<std::byte>;

// A slice that may be decoded.
struct SoundSlice {
  LinkPlace place;
  LinkSlice slice;
  LinkHeld held;
  CheckedTileSlice tiles;     // of kLossless
  CheckedYuvTiles yuv_tiles;  // of kYuv420Tiles
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

[[maybe_unused]] Result<void> CheckYuvInTiles(const LinkPlace& place, const LinkSlice& slice, std::uint32_t width,
                                              CheckedYuvTiles& tiles) {
  const auto checked = CheckYuvTiles({place.payload, slice.bytes});
  if (!checked.ok()) return checked.error();
  const YuvTilesHeader& header = checked->header;
  if (header.width != width || header.height != place.row_count || header.frame != slice.frame) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} holds {} x {} pixels of frame {}; {} x {} of frame {} are expected.",
                place.index, header.width, header.height, header.frame, width, place.row_count, slice.frame);
  }
  tiles = *checked;
  return {};
}

Result<void> CheckSlice(const LinkWalk& walk, SoundSlice& sound, std::uint32_t width) {
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
  if (encoding == LinkEncoding::kLossless) return CheckTiles(sound.place, slice, sound.held, width, sound.tiles);
  if constexpr (color::kHasYuv420) {
    if (encoding == LinkEncoding::kYuv420Tiles) return CheckYuvInTiles(sound.place, slice, width, sound.yuv_tiles);
  }
  const std::uint64_t expected = LinkFrameBytes(encoding, width, sound.place.row_count);
  if (slice.bytes == expected) return {};
  return Fail(ErrorKind::kInvalidArgument, "Slice {} has {} bytes of {} rows in encoding {}; {} are expected.", sound.place.index,
              slice.bytes, sound.place.row_count, ToString(encoding), expected);
}

void Decode(const SoundSlice& sound, const Picture& to, std::vector<std::byte>& room) {
  const auto encoding = static_cast<LinkEncoding>(sound.slice.encoding);
  if (encoding != LinkEncoding::kLossless) return DecodeSliceRows(encoding, sound.place, sound.yuv_tiles, to, room);
  std::byte* const rows = to.pixels + sound.place.first_row * to.pitch;
  DecodeTileSlice(sound.tiles, {rows, to.pitch, to.width, sound.place.row_count},
                  {rows, to.pitch, to.width, sound.place.row_count});
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
    if (auto checked = CheckSlice(*walk, next, width); !checked.ok()) return std::move(checked).error();
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
