#include <algorithm>
#include <array>
#include <cstring>

#include "codec/yuv/yuv_groups.h"
#include "codec/yuv/yuv_tiles.h"
#include "color/blit.h"
#include "color/format.h"
#include "color/yuv.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_slices.h"
#include "link/surface/link_tiles.h"

namespace tandem::link {
namespace {

using Picture = LinkPicture<std::byte>;

// A slice that passed all checks.
struct SoundSlice {
  LinkPlace place;
  LinkSlice slice;
  LinkHeld held;
  CheckedLinkTiles tiles;             // kLossless only
  codec::CheckedYuvGroups yuv_tiles;  // kYuv420Tiles only
};

// Fails if the payload is broken, of another slice or frame, or references a frame that the decoder does not hold.
[[maybe_unused]] Result<codec::CheckedYuvGroups> CheckYuvInTiles(const LinkPlace& place, const LinkSlice& slice,
                                                                 const LinkHeld& held, std::uint32_t width) {
  const std::span<const std::byte> bytes(place.payload, slice.bytes);
  std::uint32_t magic = 0;
  if (bytes.size() >= sizeof(magic)) std::memcpy(&magic, bytes.data(), sizeof(magic));
  codec::CheckedYuvGroups tiles{};
  const auto check = [&](const auto& header) -> Result<codec::CheckedYuvGroups> {
    if (header.width == width && header.height == place.row_count && header.frame == slice.frame) return tiles;
    return Fail(ErrorKind::kInvalidArgument, "Slice {} holds {} x {} pixels of frame {}; {} x {} of frame {} are expected.",
                place.index, header.width, header.height, header.frame, width, place.row_count, slice.frame);
  };
  if (magic != codec::kYuvGroupsMagic) {
    const auto picture = codec::CheckYuvTiles(bytes);
    if (!picture.ok()) return picture.error();
    tiles.picture = *picture;
    return check(tiles.picture.header);
  }
  const auto groups = codec::CheckYuvGroups(bytes);
  if (!groups.ok()) return groups;
  tiles = *groups;
  if (IsHeld(tiles.header.reference, slice, held)) return check(tiles.header);
  return Fail(ErrorKind::kInvalidArgument, "Slice {} refers to frame {}, but frame {} is held.", place.index,
              tiles.header.reference, held.frame);
}

// The picture as it crossed, and its rotation in the destination.
struct Wanted {
  color::Format format;
  std::uint32_t width;
  std::uint32_t height;
  color::Rotation rotation;
};

Result<void> CheckSlice(const LinkWalk& walk, SoundSlice& sound, const Wanted& wanted) {
  const auto& [format, width, height, rotation] = wanted;
  const LinkSlice& slice = sound.slice;
  if (slice.frame != walk.header().frame) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} is of frame {}; frame {} is expected.", sound.place.index, slice.frame,
                walk.header().frame);
  }
  if (slice.index != sound.place.index) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} stands in the place of slice {}.", slice.index, sound.place.index);
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
  if (rotation != color::Rotation::kIdentity && RefersToFrames(encoding)) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} is in encoding {}, which may refer to frames before: it is not turned.",
                sound.place.index, ToString(encoding));
  }
  if (slice.bits != LinkBits(encoding, format)) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} has {} bits a channel in encoding {}; {} has {}.", sound.place.index,
                slice.bits, ToString(encoding), color::ToString(format), LinkBits(encoding, format));
  }
  if (encoding == LinkEncoding::kLossless) {
    auto checked = CheckLinkTiles(sound.place, slice, sound.held, format, width);
    if (!checked.ok()) return std::move(checked).error();
    sound.tiles = *checked;
    return {};
  }
  if constexpr (color::kHasYuv420) {
    if (encoding == LinkEncoding::kYuv420Tiles) {
      const auto checked = CheckYuvInTiles(sound.place, slice, sound.held, width);
      if (!checked.ok()) return checked.error();
      sound.yuv_tiles = *checked;
      return {};
    }
  }
  const std::uint64_t expected = LinkFrameBytes(encoding, format, width, sound.place.row_count);
  if (slice.bytes == expected) return {};
  return Fail(ErrorKind::kInvalidArgument, "Slice {} has {} bytes of {} rows in encoding {}; {} are expected.", sound.place.index,
              slice.bytes, sound.place.row_count, ToString(encoding), expected);
}

// Reserves the most that any slice of the requested encoding may need, so that no later frame allocates. Later frames may be
// the first with smaller tiles than kYuv420, or have more changed groups.
void Reserve(std::uint32_t requested, std::uint32_t width, std::uint32_t slice_rows, std::vector<std::byte>& room) {
  if constexpr (color::kHasYuv420) {
    if (requested != static_cast<std::uint32_t>(LinkEncoding::kYuv420Tiles)) return;
    const std::uint64_t converted = std::uint64_t{width} * sizeof(std::uint32_t) * slice_rows;
    RoomOf(room, codec::YuvGroupsMostRoomBytes(width, slice_rows, kLinkFullChroma) + converted);
  }
}

void Decode(const SoundSlice& sound, const LinkTarget& target, std::vector<std::byte>& room) {
  const auto encoding = static_cast<LinkEncoding>(sound.slice.encoding);
  if (encoding != LinkEncoding::kLossless) return DecodeSliceRows(encoding, sound.place, sound.yuv_tiles, target, room);
  Picture rows = target.picture;
  rows.pixels += sound.place.first_row * rows.pitch;
  rows.height = sound.place.row_count;
  DecodeLinkTiles(sound.tiles, rows, room);
}

// Passes to decode a slice. Changed groups are decoded side by side, then copied; ten bits are decoded in parts, then joined.
PassCount PassesOf(const SoundSlice& sound, color::Format format, std::uint32_t width) {
  constexpr std::uint64_t kPixelBytes = 4;
  constexpr std::uint64_t kPartsBytes = 5;
  const auto encoding = static_cast<LinkEncoding>(sound.slice.encoding);
  const std::uint64_t all = std::uint64_t{width} * sound.place.row_count;
  const std::uint64_t changed = all * (1000 - std::min<std::uint64_t>(sound.slice.unchanged, 1000)) / 1000;
  PassCount passes{changed, changed * kPixelBytes};
  if (encoding == LinkEncoding::kYuv420Tiles && sound.yuv_tiles.header.reference != 0) passes += passes;
  if (encoding == LinkEncoding::kLossless && HasTenBits(format))
    passes = {changed + all, changed * kPartsBytes + all * kPixelBytes};
  return passes;
}

struct SoundSlices {
  std::array<SoundSlice, kMaxLinkSlices> slices;
  std::uint32_t count = 0;
};

// Checks all slices, even those that an earlier run of the same command decoded. Only the untrusted pages record that, and a
// second decoding gives the same picture.
Result<LinkWalk> FindSound(const LinkRows& rows, const Wanted& wanted, SoundSlices& sound) {
  if (!ComesOutOfLink(wanted.format)) {
    return Fail(ErrorKind::kInvalidArgument, "No picture comes out of a link as {}.", color::ToString(wanted.format));
  }
  auto walk = LinkWalk::Begin(rows, wanted.width, wanted.height);
  if (!walk.ok()) return walk;
  for (std::uint32_t index = walk->first(); index < walk->end(); ++index) {
    SoundSlice& next = sound.slices[sound.count];
    next.place = walk->PlaceOf(index);
    next.slice = walk->Load(index);
    next.held = walk->LoadHeld(index);
    if (auto checked = CheckSlice(*walk, next, wanted); !checked.ok()) return std::move(checked).error();
    ++sound.count;
  }
  return walk;
}

}  // namespace

Result<PassCount> DecodeLinkRows(const LinkRows& rows, const LinkPicture<std::byte>& to, Clock& clock,
                                 std::vector<std::byte>& room, color::Rotation rotation) {
  SoundSlices sound;
  const auto walk = FindSound(rows, {to.format, to.width, to.height, rotation}, sound);
  if (!walk.ok()) return walk.error();
  PassCount passes;
  for (std::uint32_t i = 0; i < sound.count; ++i) {
    const SoundSlice& slice = sound.slices[i];
    const std::int64_t begin_ns = clock.NowNs();
    Reserve(walk->header().encoding, to.width, slice.place.row_count, room);
    Decode(slice, {to, walk->colors().yuv, rotation}, room);
    walk->Store(slice.place.index, LinkHeld{slice.slice.frame, static_cast<std::uint64_t>(clock.NowNs() - begin_ns)});
    passes += PassesOf(slice, to.format, to.width);
  }
  return passes;
}

Result<LinkParts> LinkPartsToDecode(const LinkRows& rows, color::Format format, std::uint32_t width, std::uint32_t height,
                                    color::Rotation rotation) {
  SoundSlices sound;
  const auto walk = FindSound(rows, {format, width, height, rotation}, sound);
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
    part.colors = walk->colors();
  }
  return parts;
}

}  // namespace tandem::link
