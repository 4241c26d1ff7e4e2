#include "link/surface/link_parts.h"

#include <algorithm>
#include <cstring>

#include "codec/tiles/tile_encoder.h"
#include "codec/tiles/tile_format.h"
#include "color/format.h"
#include "color/yuv.h"
#include "link/surface/link_rows.h"

namespace tandem::link {
namespace {

// A slice with fewer unchanged tiles, per mille, is a moving picture. Comparing and keeping it then costs more than it saves,
// so both back off for some frames.
constexpr std::uint32_t kMovingPerMille = 50;
constexpr std::uint16_t kBackoffFrames = 7;

// Counts the unchanged tiles of a slice with a header. Other writers of its pages cannot lead the reads out of the slice.
std::uint32_t UnchangedTiles(std::span<const std::byte> slice, std::uint32_t tiles_across, std::uint32_t row_count) {
  std::uint64_t at = sizeof(codec::TileSliceHeader) + 4 * std::uint64_t{row_count};
  std::uint32_t unchanged = 0;
  for (std::uint32_t row = 0; row < row_count; ++row) {
    std::uint32_t row_bytes = 0;
    std::memcpy(&row_bytes, slice.data() + sizeof(codec::TileSliceHeader) + 4 * std::size_t{row}, sizeof(row_bytes));
    if (row_bytes == 0) {
      unchanged += tiles_across;
      continue;
    }
    for (std::uint32_t tile = 0; tile < tiles_across && at + tile < slice.size(); ++tile) {
      if (slice[at + tile] == std::byte{codec::kEntryUnchanged}) ++unchanged;
    }
    at += row_bytes;
  }
  return unchanged;
}

template <class Record>
void Write(std::span<std::byte> surface, std::uint64_t offset, const Record& record) {
  std::memcpy(surface.data() + offset, &record, sizeof(record));
}

}  // namespace

bool LinkReference::Follow(bool compared, std::uint32_t unchanged, std::uint64_t now) {
  if (compared && unchanged < kMovingPerMille) {
    backoff = kBackoffFrames;
  } else if (backoff > 0) {
    --backoff;
  }
  frame = backoff > 0 ? 0 : now;
  return frame != 0;
}

LinkYuvPlaces LinkYuvPlacesOf(std::uint32_t width, std::uint32_t row_count) {
  return {width, std::uint64_t{width} * row_count, std::uint64_t{2} * color::ChromaExtent(width)};
}

Result<LinkParts> LinkPartsToEncode(const LinkRows& rows, color::Format format, std::uint32_t width, std::uint32_t height) {
  if (!CanCrossLink(format)) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} does not cross a link.", color::ToString(format));
  }
  const auto walk = LinkWalk::Begin(rows, width, height);
  if (!walk.ok()) return walk.error();
  const auto request = static_cast<LinkEncoding>(walk->header().encoding);
  LinkParts parts;
  for (std::uint32_t index = walk->first(); index < walk->end(); ++index) {
    const LinkPlace place = walk->PlaceOf(index);
    LinkPart& part = parts.parts[parts.count++];
    part.encoding = IsBuilt(request) ? request : LinkEncoding::kLossless;
    part.index = index;
    part.first_row = place.first_row;
    part.row_count = place.row_count;
    part.payload = LinkPayloadOffset(width, place.first_row);
    part.capacity = place.capacity;
    part.frame = walk->header().frame;
    part.held = walk->LoadHeld(index).frame;
    if (part.encoding == LinkEncoding::kLossless) part.budget = walk->BudgetOf(place, LinkedFormat(format, walk->colors()));
    part.probes = walk->header().probe == index + 1;
    part.colors = walk->colors();
  }
  return parts;
}

Result<CodedPart> FinishEncodedPart(const LinkRows& rows, color::Format format, std::uint32_t width, const LinkPart& part,
                                    std::uint64_t reference, const PartTimes& times, Clock& clock) {
  CodedPart coded;
  if (part.encoding == LinkEncoding::kLossless) {
    const std::span<std::byte> payload = rows.surface.subspan(part.payload, part.capacity);
    codec::TileSliceJob job;
    job.frame = {payload.data(), 0, width, part.row_count};
    job.frame_number = part.frame;
    job.row_count = codec::TileRows(part.row_count);
    job.reference_number = reference;
    if (reference != 0) job.reference = job.frame;
    const auto sealed = codec::SealTileSlice(job, payload);
    if (!sealed.ok()) return sealed.error();
    coded.bytes = *sealed;
    const std::uint32_t across = codec::TilesAcross(width);
    coded.unchanged = 1000 * UnchangedTiles(payload.first(coded.bytes), across, job.row_count) / (across * job.row_count);
  } else {
    coded.bytes = LinkFrameBytes(part.encoding, format, width, part.row_count);
  }
  LinkSlice slice{};
  slice.frame = part.frame;
  slice.encoding = static_cast<std::uint32_t>(part.encoding);
  slice.bytes = static_cast<std::uint32_t>(coded.bytes);
  slice.unchanged = static_cast<std::uint16_t>(coded.unchanged);
  slice.bits = static_cast<std::uint8_t>(LinkBits(part.encoding, format));
  slice.index = static_cast<std::uint8_t>(part.index);
  slice.link_ns = static_cast<std::uint64_t>(times.link_ns);
  slice.encode_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(clock.NowNs() - times.begin_ns - times.link_ns, 0));
  Write(rows.surface, kLinkSlicesOffset + part.index * sizeof(slice), slice);
  return coded;
}

void NoteLinkProbed(const LinkRows& rows, const LinkProbed& probed) { Write(rows.surface, kLinkProbedOffset, probed); }

void FinishDecodedPart(const LinkRows& rows, const LinkPart& part, std::int64_t decode_ns) {
  Write(rows.surface, kLinkHeldOffset + part.index * sizeof(LinkHeld),
        LinkHeld{part.frame, static_cast<std::uint64_t>(decode_ns)});
}

}  // namespace tandem::link
