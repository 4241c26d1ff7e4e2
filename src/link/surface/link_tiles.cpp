#include "link/surface/link_tiles.h"

#include <algorithm>
#include <cstring>

#include "base/aligned.h"
#include "codec/packed/rgb10.h"
#include "color/format.h"

namespace tandem::link {
namespace {

constexpr std::uint64_t kLowerAlignment = 8;
constexpr std::uint64_t kRoomAlignment = 64;

// `room`: TileBudgetRoomBytes().
Result<codec::TileSliceSummary> Encode(const codec::TileSliceJob& slice, std::span<std::byte> out, std::byte* room) {
  codec::TileSliceJob job = slice;
  job.row_count = codec::TileRows(job.frame.height);
  job.budget_room = {room, codec::TileBudgetRoomBytes(job.frame.width, job.row_count)};
  return codec::EncodeTileSlice(job, out);
}

// Least budget: one tile fits uncompressed, so that each frame of a still picture makes one more tile exact.
std::uint64_t Floor(codec::TileContent content, std::uint32_t width, std::uint32_t rows) {
  return codec::TileSliceFloor(content, width, codec::TileRows(rows)) +
         std::uint64_t{codec::kTileSamples} * codec::ChannelsOf(content);
}

// The upper and lower parts of `rows` rows of ten bits, one behind the other.
struct Parts {
  Parts(std::byte* at, std::uint32_t width, std::uint32_t rows) : upper(at), lower(at + std::uint64_t{4} * width * rows) {}
  std::byte* upper;
  std::byte* lower;
};
std::uint64_t PartsBytes(std::uint32_t width, std::uint32_t rows) { return std::uint64_t{5} * width * rows; }

Result<codec::TileSliceSummary> EncodeTenBits(const LinkTilesJob& job, std::span<std::byte> out, std::byte* room) {
  const auto& [pixels, pitch, format, width, height] = job.rows;
  const bool compares = job.reference != nullptr;
  const Parts now(room, width, height);
  codec::Split({now.upper, now.lower}, {pixels, pitch, width, height});
  codec::TileSliceJob upper;
  upper.frame = {now.upper, std::uint64_t{4} * width, width, height};
  upper.frame_number = job.frame;
  codec::TileSliceJob lower = upper;
  lower.content = codec::TileContent::kPlane8;
  lower.frame = {now.lower, width, width, height};
  if (compares) {
    const Parts before(room + PartsBytes(width, height), width, height);
    codec::Split({before.upper, before.lower}, {job.reference, job.reference_pitch, width, height});
    upper.reference = {before.upper, upper.frame.pitch, width, height};
    lower.reference = {before.lower, lower.frame.pitch, width, height};
    upper.reference_number = lower.reference_number = job.reference_frame;
  }
  if (job.budget_bytes != 0) {
    // The upper bits weigh more; the lower ones get the remaining bytes.
    const std::uint64_t lower_floor = Floor(codec::TileContent::kPlane8, width, height) + kLowerAlignment;
    upper.budget_bytes = std::max(Floor(codec::TileContent::kBgrx8, width, height),
                                  std::min(job.budget_bytes / 4 * 3, job.budget_bytes - lower_floor));
  }
  std::byte* const budget_room = room + 2 * PartsBytes(width, height);
  auto first = Encode(upper, out, budget_room);
  if (!first.ok()) return first;
  const std::uint64_t begin = AlignUp(first->bytes, kLowerAlignment);
  std::memset(out.data() + first->bytes, 0, begin - first->bytes);
  if (job.budget_bytes != 0) lower.budget_bytes = job.budget_bytes - begin;
  const auto second = Encode(lower, out.subspan(begin), budget_room);
  if (!second.ok()) return second;
  first->bytes = begin + second->bytes;
  first->tiles += second->tiles;
  first->unchanged_tiles += second->unchanged_tiles;
  first->still_tiles += second->still_tiles;
  first->lossy_tiles += second->lossy_tiles;
  return first;
}

// The slice that a payload must contain.
struct Expected {
  const LinkPlace& place;
  const LinkSlice& slice;
  const LinkHeld& held;
  std::uint32_t width;
};

Result<codec::CheckedTileSlice> Check(std::span<const std::byte> bytes, codec::TileContent content, const Expected& expected) {
  auto checked = codec::CheckTileSlice(bytes);
  if (!checked.ok()) return checked;
  const codec::TileSliceHeader& header = checked->header;
  const LinkPlace& place = expected.place;
  if (header.width != expected.width || header.height != place.row_count || header.first_row != 0 ||
      header.row_count != codec::TileRows(place.row_count) || header.content != static_cast<std::uint8_t>(content) ||
      header.frame != expected.slice.frame) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} holds {} x {} samples of frame {}; {} x {} of frame {} are expected.",
                place.index, header.width, header.height, header.frame, expected.width, place.row_count, expected.slice.frame);
  }
  if (header.reference != 0 && !IsHeld(header.reference, expected.slice, expected.held)) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} refers to frame {}, but frame {} is held.", place.index, header.reference,
                expected.held.frame);
  }
  return checked;
}

}  // namespace

std::uint64_t LinkTilesCapacity(color::Format format, std::uint32_t width, std::uint32_t rows) {
  const std::uint64_t upper = codec::TileSliceCapacity(codec::TileContent::kBgrx8, width, codec::TileRows(rows));
  if (!HasTenBits(format)) return upper;
  return AlignUp(upper, kLowerAlignment) + codec::TileSliceCapacity(codec::TileContent::kPlane8, width, codec::TileRows(rows));
}

std::uint64_t LinkTilesRoomBytes(color::Format format, std::uint32_t width, std::uint32_t rows) {
  const std::uint64_t parts = HasTenBits(format) ? 2 * PartsBytes(width, rows) : 0;
  return AlignUp(parts + codec::TileBudgetRoomBytes(width, codec::TileRows(rows)), kRoomAlignment);
}

std::uint64_t LinkTilesFloor(color::Format format, std::uint32_t width, std::uint32_t rows) {
  const std::uint64_t upper = Floor(codec::TileContent::kBgrx8, width, rows);
  return HasTenBits(format) ? upper + kLowerAlignment + Floor(codec::TileContent::kPlane8, width, rows) : upper;
}

Result<codec::TileSliceSummary> EncodeLinkTiles(const LinkTilesJob& job, std::span<std::byte> out, std::byte* room) {
  if (HasTenBits(job.rows.format)) return EncodeTenBits(job, out, room);
  codec::TileSliceJob slice;
  slice.frame = {job.rows.pixels, job.rows.pitch, job.rows.width, job.rows.height};
  slice.frame_number = job.frame;
  slice.budget_bytes = job.budget_bytes;
  if (job.reference != nullptr) {
    slice.reference = {job.reference, job.reference_pitch, job.rows.width, job.rows.height};
    slice.reference_number = job.reference_frame;
  }
  return Encode(slice, out, room);
}

Result<CheckedLinkTiles> CheckLinkTiles(const LinkPlace& place, const LinkSlice& slice, const LinkHeld& held,
                                        color::Format format, std::uint32_t width) {
  const std::span<const std::byte> all(place.payload, slice.bytes);
  const Expected expected{place, slice, held, width};
  std::uint64_t upper_bytes = all.size();
  if (HasTenBits(format) && all.size() >= sizeof(codec::TileSliceHeader)) {
    codec::TileSliceHeader header;
    std::memcpy(&header, all.data(), sizeof(header));
    upper_bytes = header.bytes;
  }
  const std::uint64_t begin = AlignUp(upper_bytes, kLowerAlignment);
  if (HasTenBits(format) && begin > all.size()) {
    return Fail(ErrorKind::kInvalidArgument, "Slice {} has {} bytes, of which the upper bits take {}.", place.index, all.size(),
                upper_bytes);
  }
  const auto upper = Check(all.first(upper_bytes), codec::TileContent::kBgrx8, expected);
  if (!upper.ok()) return upper.error();
  if (!HasTenBits(format)) return CheckedLinkTiles{*upper, {}};
  const auto lower = Check(all.subspan(begin), codec::TileContent::kPlane8, expected);
  if (!lower.ok()) return lower.error();
  return CheckedLinkTiles{*upper, *lower};
}

void DecodeLinkTiles(const CheckedLinkTiles& checked, const LinkPicture<std::byte>& rows, std::vector<std::byte>& room) {
  const auto& [pixels, pitch, format, width, height] = rows;
  if (!HasTenBits(format)) {
    codec::DecodeTileSlice(checked.tiles, {pixels, pitch, width, height}, {pixels, pitch, width, height});
    return;
  }
  const Parts parts(RoomOf(room, PartsBytes(width, height)), width, height);
  if (checked.tiles.header.reference != 0 || checked.lower.header.reference != 0) {
    codec::Split({parts.upper, parts.lower}, {pixels, pitch, width, height});
  }
  const std::uint64_t upper_pitch = std::uint64_t{4} * width;
  codec::DecodeTileSlice(checked.tiles, {parts.upper, upper_pitch, width, height}, {parts.upper, upper_pitch, width, height});
  codec::DecodeTileSlice(checked.lower, {parts.lower, width, width, height}, {parts.lower, width, width, height});
  codec::Join({pixels, pitch, width, height}, {parts.upper, parts.lower});
}

}  // namespace tandem::link
