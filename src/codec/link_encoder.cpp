#include <algorithm>

#include "codec/link_parts.h"
#include "codec/link_slices.h"
#include "codec/link_tiles.h"
#include "color/copy.h"

namespace tandem::codec {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
using Picture = LinkPicture<const std::byte>;

// Keeps the reference's rows and `slice` up to date.
Result<std::uint64_t> EncodeTiles(const LinkWalk& walk, const LinkPlace& place, const Picture& from, LinkSlice& slice,
                                  std::vector<std::byte>& room) {
  LinkReference kept{slice.reference_frame, slice.rests};
  const bool compares = kept.Compares(walk.LoadHeld(place.index).frame);
  LinkTilesJob job;
  job.rows = LinkedRows(place, from, room);
  job.frame = walk.header().frame;
  job.reference_pitch = LinkReferencePitch(from.width);
  std::byte* const reference = walk.reference() + place.first_row * job.reference_pitch;
  if (compares) {
    job.reference = reference;
    job.reference_frame = slice.reference_frame;
  }
  const auto coded = EncodeLinkTiles(job, {place.payload, place.capacity}, room);
  if (!coded.ok()) return coded.error();
  slice.unchanged = static_cast<std::uint16_t>(std::uint64_t{1000} * coded->unchanged_tiles / coded->tiles);
  const bool keeps = kept.Follow(compares, slice.unchanged, walk.header().frame);
  slice.reference_frame = kept.frame;
  slice.rests = kept.rests;
  if (keeps && coded->unchanged_tiles != coded->tiles) {
    color::CopyRows(reference, job.reference_pitch, job.rows.pixels, job.rows.pitch, std::uint64_t{from.width} * kPixelBytes,
                    place.row_count);
  }
  return coded->bytes;
}

// For the figures only: the payload is written anew afterwards.
void Scout(const LinkWalk& walk, const LinkPlace& place, const Picture& from, Clock& clock, std::vector<std::byte>& room) {
  const std::int64_t begin_ns = clock.NowNs();
  LinkTilesJob job;
  job.rows = LinkedRows(place, from, room);
  job.frame = walk.header().frame;
  const auto coded = EncodeLinkTiles(job, {place.payload, place.capacity}, room);
  walk.Store(LinkScouted{coded.ok() ? coded->bytes : 0, static_cast<std::uint64_t>(clock.NowNs() - begin_ns)});
}

}  // namespace

Result<std::uint64_t> EncodeLinkRows(const LinkRows& rows, const LinkPicture<const std::byte>& from, Clock& clock,
                                     std::vector<std::byte>& room) {
  if (!CanCrossLink(from.format)) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} does not cross a link.", color::ToString(from.format));
  }
  const auto walk = LinkWalk::Begin(rows, from.width, from.height);
  if (!walk.ok()) return walk.error();
  const auto wish = static_cast<LinkEncoding>(walk->header().encoding);
  const LinkEncoding encoding = IsBuilt(wish) ? wish : LinkEncoding::kLossless;
  std::uint64_t crossing = 0;
  for (std::uint32_t index = walk->first(); index < walk->end(); ++index) {
    const LinkPlace place = walk->PlaceOf(index);
    LinkSlice slice = walk->Load(index);
    if (walk->header().scout == index + 1) Scout(*walk, place, from, clock, room);
    const std::int64_t begin_ns = clock.NowNs();
    std::uint64_t bytes = 0;
    slice.unchanged = 0;
    if (encoding == LinkEncoding::kLossless) {
      auto coded = EncodeTiles(*walk, place, from, slice, room);
      if (!coded.ok()) return coded;
      bytes = *coded;
      slice.encoding = static_cast<std::uint32_t>(encoding);
    } else {
      bytes = EncodeSliceRows(encoding, place, from, walk->header().frame, slice, room);
      slice.reference_frame = 0;
    }
    slice.frame = walk->header().frame;
    slice.bytes = static_cast<std::uint32_t>(bytes);
    slice.bits = static_cast<std::uint16_t>(LinkBits(encoding, from.format));
    slice.encode_ns = static_cast<std::uint64_t>(clock.NowNs() - begin_ns);
    slice.link_ns = 0;
    walk->Store(index, slice);
    crossing += bytes;
  }
  return crossing;
}

void NoteLinkTime(const LinkRows& rows, std::int64_t link_ns) {
  LinkSurfaceHeader header;
  std::memcpy(&header, rows.surface.data(), sizeof(header));
  if (header.slice_rows == 0 || rows.first / header.slice_rows >= kMaxLinkSlices) return;
  const auto time = static_cast<std::uint64_t>(link_ns);
  std::byte* const slice = rows.surface.data() + kLinkSlicesOffset + rows.first / header.slice_rows * sizeof(LinkSlice);
  std::memcpy(slice + offsetof(LinkSlice, link_ns), &time, sizeof(time));
}

}  // namespace tandem::codec
