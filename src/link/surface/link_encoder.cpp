#include <algorithm>

#include "codec/tiles/tile_encoder.h"
#include "color/format.h"
#include "link/surface/link_reference_rows.h"
#include "link/surface/link_slices.h"
#include "link/surface/link_tiles.h"

namespace tandem::link {
namespace {

constexpr std::uint32_t kPixelBytes = 4;

// Encodes a slice in lossless tiles, without a reference unless the caller adds one.
struct TilesWork {
  TilesWork(const LinkWalk& walk, const LinkPlace& place, const LinkSource& source, std::vector<std::byte>& room) {
    const std::uint32_t width = source.picture.width;
    const std::uint64_t own_bytes = LinkTilesRoomBytes(LinkedFormat(source), width, place.row_count);
    const std::uint64_t converted_bytes = Converts(source) ? std::uint64_t{width} * kPixelBytes * place.row_count : 0;
    own = RoomOf(room, own_bytes + converted_bytes);
    job.rows = LinkedRows(source, place.first_row, place.row_count, own + own_bytes);
    job.frame = source.frame;
    job.budget_bytes = walk.BudgetOf(place, job.rows.format);
  }
  [[nodiscard]] Result<codec::TileSliceSummary> Encode(const LinkPlace& place) const {
    return EncodeLinkTiles(job, {place.payload, place.capacity}, own);
  }
  // Passes to encode a slice of `bytes`. Ten bits are split first, and so is the reference if there is one.
  [[nodiscard]] PassCount Passes(const LinkSource& source, std::uint64_t bytes) const {
    constexpr std::uint64_t kPartsBytes = 5;
    const std::uint64_t pixels = std::uint64_t{job.rows.width} * job.rows.height;
    PassCount passes{pixels, bytes};
    if (Converts(source)) passes += {pixels, pixels * kPixelBytes};
    if (HasTenBits(job.rows.format)) passes += {pixels, pixels * kPartsBytes};
    if (HasTenBits(job.rows.format) && job.reference != nullptr) passes += {pixels, pixels * kPartsBytes};
    return passes;
  }

  LinkTilesJob job;
  std::byte* own;
};

// Decodes a slice that lost bits into the reference rows, so that they equal the decoder's. Tiles that lost bits are then sent
// again once there is room. The fourth bytes do not cross; the drawn ones stay, else they would count as changed.
bool KeepAsDecoded(const LinkPlace& place, const LinkTilesJob& job, std::uint64_t bytes, const ReferenceRows& kept,
                   std::vector<std::byte>& room) {
  LinkSlice slice{};
  slice.frame = job.frame;
  slice.bytes = static_cast<std::uint32_t>(bytes);
  const auto checked = CheckLinkTiles(place, slice, {job.reference_frame, 0}, job.rows.format, job.rows.width);
  if (!checked.ok()) return false;
  DecodeLinkTiles(*checked, {kept.rows(), kept.pitch(), job.rows.format, job.rows.width, job.rows.height}, room);
  if (HasTenBits(job.rows.format)) return true;
  for (std::uint32_t y = 0; y < job.rows.height; ++y) {
    std::byte* const row = kept.rows() + y * kept.pitch();
    const std::byte* const drawn = job.rows.pixels + y * job.rows.pitch;
    for (std::uint32_t i = 3; i < kPixelBytes * job.rows.width; i += kPixelBytes) row[i] = drawn[i];
  }
  return true;
}

Result<EncodedRows> EncodeTiles(const LinkWalk& walk, const LinkPlace& place, const LinkSource& source, ReferenceRows& kept,
                                LinkSlice& slice, std::vector<std::byte>& room) {
  TilesWork work(walk, place, source, room);
  LinkTilesJob& job = work.job;
  if (kept.compares()) {
    job.reference = kept.rows();
    job.reference_pitch = kept.pitch();
    job.reference_frame = kept.frame();
  }
  const auto coded = work.Encode(place);
  if (!coded.ok()) return coded.error();
  slice.encoding = static_cast<std::uint32_t>(LinkEncoding::kLossless);
  slice.unchanged = static_cast<std::uint16_t>(std::uint64_t{1000} * coded->unchanged_tiles / coded->tiles);
  slice.lossy = coded->lossy_tiles != 0 ? 1 : 0;
  const auto still = static_cast<std::uint32_t>(std::uint64_t{1000} * coded->still_tiles / coded->tiles);
  EncodedRows result{coded->bytes, work.Passes(source, coded->bytes)};
  result.passes +=
      kept.Follow(slice, still, job.rows.pixels, job.rows.pitch, coded->unchanged_tiles != coded->tiles && slice.lossy == 0);
  if (slice.lossy != 0 && slice.reference_frame != 0 && !KeepAsDecoded(place, job, coded->bytes, kept, room)) {
    slice.reference_frame = 0;
  }
  if (slice.lossy != 0 && slice.reference_frame != 0) {
    const std::uint64_t pixels = std::uint64_t{job.rows.width} * job.rows.height;
    result.passes += {pixels, pixels * kPixelBytes};
  }
  return result;
}

// Encodes for the figures only; the payload is written again afterwards.
PassCount Probe(const LinkWalk& walk, const LinkPlace& place, const LinkSource& source, Clock& clock,
                std::vector<std::byte>& room) {
  const std::int64_t begin_ns = clock.NowNs();
  const TilesWork work(walk, place, source, room);
  const auto coded = work.Encode(place);
  const std::uint64_t bytes = coded.ok() ? coded->bytes : 0;
  walk.Store(LinkProbed{bytes, static_cast<std::uint64_t>(clock.NowNs() - begin_ns)});
  return work.Passes(source, bytes);
}

}  // namespace

Result<EncodedRows> EncodeLinkRows(const LinkRows& rows, const LinkPicture<const std::byte>& from, Clock& clock,
                                   std::vector<std::byte>& room) {
  if (!CanCrossLink(from.format)) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} does not cross a link.", color::ToString(from.format));
  }
  const auto walk = LinkWalk::Begin(rows, from.width, from.height);
  if (!walk.ok()) return walk.error();
  const auto request = static_cast<LinkEncoding>(walk->header().encoding);
  const LinkEncoding encoding = IsBuilt(request) ? request : LinkEncoding::kLossless;
  const LinkSource source{from, walk->colors(), walk->header().frame};
  EncodedRows all;
  for (std::uint32_t index = walk->first(); index < walk->end(); ++index) {
    const LinkPlace place = walk->PlaceOf(index);
    LinkSlice slice = walk->Load(index);
    if (walk->header().probe == index + 1) all.passes += Probe(*walk, place, source, clock, room);
    const std::int64_t begin_ns = clock.NowNs();
    EncodedRows coded;
    ReferenceRows kept(*walk, place, from.width, encoding, slice);
    slice.unchanged = 0;
    slice.reference_frame = 0;
    slice.lossy = 0;
    if (encoding == LinkEncoding::kLossless) {
      auto tiles = EncodeTiles(*walk, place, source, kept, slice, room);
      if (!tiles.ok()) return tiles;
      coded = *tiles;
    } else {
      coded = EncodeSliceRows(encoding, place, source, kept, slice, room);
    }
    slice.frame = source.frame;
    slice.bytes = static_cast<std::uint32_t>(coded.crossing);
    slice.bits = static_cast<std::uint8_t>(LinkBits(static_cast<LinkEncoding>(slice.encoding), LinkedFormat(source)));
    slice.index = static_cast<std::uint8_t>(index);
    slice.encode_ns = static_cast<std::uint64_t>(clock.NowNs() - begin_ns);
    slice.link_ns = 0;
    walk->Store(index, slice);
    all.crossing += coded.crossing;
    all.passes += coded.passes;
  }
  return all;
}

void NoteLinkTime(const LinkRows& rows, std::int64_t link_ns) {
  LinkSurfaceHeader header;
  std::memcpy(&header, rows.surface.data(), sizeof(header));
  if (header.slice_rows == 0 || rows.first / header.slice_rows >= kMaxLinkSlices) return;
  const auto time = static_cast<std::uint64_t>(link_ns);
  std::byte* const slice = rows.surface.data() + kLinkSlicesOffset + rows.first / header.slice_rows * sizeof(LinkSlice);
  std::memcpy(slice + offsetof(LinkSlice, link_ns), &time, sizeof(time));
}

}  // namespace tandem::link
