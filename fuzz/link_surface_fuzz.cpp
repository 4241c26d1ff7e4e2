// A link surface with arbitrary contents. Decoding may touch only the picture and the slices' records. A refused slice leaves
// the picture unchanged, and the encoder still works.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "codec/tiles/tile_decoder.h"
#include "codec/yuv/yuv_groups.h"
#include "fuzz/seal_tiles.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_surface.h"

namespace {

using namespace tandem;
using namespace tandem::codec;
using namespace tandem::link;

constexpr color::Format kFormats[] = {color::Format::kB8G8R8A8Unorm, color::Format::kR8G8B8A8Unorm,
                                      color::Format::kR10G10B10A2Unorm, color::Format::kR16G16B16A16Float};

// Repairs the checksum of a tile-coded payload, so that fuzzing gets past it.
void MendChecksum(std::span<std::byte> surface, std::uint32_t width, std::uint32_t first_row, const LinkSlice& slice) {
  std::byte* const payload = surface.data() + LinkPayloadOffset(width, first_row);
  if (LinkPayloadOffset(width, first_row) + slice.bytes > surface.size()) return;
  if (slice.encoding == static_cast<std::uint32_t>(LinkEncoding::kYuv420Tiles) && slice.bytes >= sizeof(YuvTilesHeader)) {
    std::uint32_t magic = 0;
    std::memcpy(&magic, payload, sizeof(magic));
    if (magic == kYuvGroupsMagic) fuzz::SealGroups(payload, slice.bytes);
    if (magic != kYuvGroupsMagic) fuzz::SealPicture(payload, slice.bytes);
  }
  if (slice.encoding != static_cast<std::uint32_t>(LinkEncoding::kLossless)) return;
  // A ten-bit picture has two; the first one's header gives the position of the second.
  for (std::uint64_t at = 0; at + sizeof(TileSliceHeader) <= slice.bytes;) {
    TileSliceHeader header;
    std::memcpy(&header, payload + at, sizeof(header));
    const bool first_of_two = at == 0 && slice.bits == 10 && header.bytes >= sizeof(header) && header.bytes < slice.bytes;
    const std::uint64_t bytes = first_of_two ? header.bytes : slice.bytes - at;
    fuzz::SealSlice(header, payload + at, bytes);
    at += (bytes + 7) / 8 * 8;
  }
}

}  // namespace

// The input sets width, height, slices and limit, encoding, format and colours. The rest are changes of five bytes: a position
// relative to the header's end, and a value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 5) return 0;
  const std::uint32_t width = 1 + data[0];
  const std::uint32_t height = 1 + data[1];
  const auto encoding = static_cast<LinkEncoding>(data[3] % kLinkEncodings);
  const color::Format format = kFormats[data[4] % 4];
  LinkColors colors{.dithers = data[4] / 4 % 2 != 0, .ten_bits = data[4] / 8 % 2 != 0};
  colors.yuv.coding = {static_cast<color::YuvMatrix>(data[4] / 16 % 3), static_cast<color::YuvRange>(data[4] / 48 % 2)};
  colors.yuv.filter = static_cast<color::ChromaFilter>(data[4] / 96 % 2);
  const std::uint32_t slice_rows = LinkSliceRows(height, 1 + data[2] % 8);
  const std::uint64_t frame_bytes = data[2] < 8 ? 0 : std::uint64_t{1} << (data[2] / 8);
  const std::uint64_t bytes = LinkSurfaceBytes(width, height);
  const auto surface = std::make_unique<std::byte[]>(bytes);  // exact size, so that an overrun is detected
  const std::span<std::byte> all(surface.get(), bytes);
  const std::uint64_t pitch = std::uint64_t{width} * color::BytesPerPixel(format);
  std::vector<std::byte> picture(pitch * height);
  for (std::size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<std::byte>(i * i / 37);
  std::vector<std::byte> room;
  const LinkRows rows{all, 0, height};
  InitializeLinkSurface(all, slice_rows, colors, frame_bytes);
  // Half of the inputs refer to an earlier frame.
  if (data[3] / kLinkEncodings / 2 % 2 == 1) {
    RequestLinkFrame(all, 4, encoding);
    if (!EncodeLinkRows(rows, {picture.data(), pitch, format, width, height}, MonotonicClock(), room).ok()) std::abort();
    std::vector<std::byte> held(std::uint64_t{width} * 4 * height);
    const LinkPicture<std::byte> to{held.data(), std::uint64_t{width} * 4, LinkedFormat(format, colors), width, height};
    if (!DecodeLinkRows(rows, to, MonotonicClock(), room).ok()) std::abort();
    for (std::size_t i = picture.size() / 2; i < picture.size() / 2 + 40 && i < picture.size(); ++i) picture[i] ^= std::byte{1};
  }
  RequestLinkFrame(all, 5, encoding, data[3] / kLinkEncodings % 2);
  const auto coded = EncodeLinkRows(rows, {picture.data(), pitch, format, width, height}, MonotonicClock(), room);
  if (!coded.ok()) std::abort();
  const std::uint64_t most = std::max(frame_bytes, LeastLinkFrameBytes(LinkedFormat(format, colors), width, height, slice_rows));
  if (encoding == LinkEncoding::kLossless && frame_bytes != 0 && coded->crossing > most) std::abort();

  for (std::size_t at = 5; at + 5 <= size; at += 5) {
    std::uint32_t place = 0;
    std::memcpy(&place, data + at, sizeof(place));
    // Half of the changes hit the records, where most decisions are made.
    const std::uint64_t offset = place % 2 == 0 ? place / 2 % kLinkHeaderBytes : place / 2 % bytes;
    all[offset] = static_cast<std::byte>(data[at + 4]);
  }
  for (std::uint32_t i = 0; i < LinkSliceCount(height, slice_rows); ++i) {
    MendChecksum(all, width, i * slice_rows, ReadLinkSlice(all, i));
  }

  // Encoders other than the processor write within the surface, and the surface seals their result.
  if (const auto parts = LinkPartsToEncode(rows, format, width, height); parts.ok()) {
    for (const LinkPart& part : *parts) {
      if (part.payload + part.capacity > bytes || part.first_row + part.row_count > height) std::abort();
      if (part.encoding != LinkEncoding::kLossless) continue;
      std::vector<std::byte> kept(all.begin(), all.end());
      const LinkRows other{kept, 0, height};
      const auto finished = FinishEncodedPart(other, LinkedFormat(format, colors), width, part,
                                              part.held < part.frame ? part.held : 0, {}, MonotonicClock());
      if (finished.ok() && finished->bytes > part.capacity) std::abort();
    }
  }
  if (const auto parts = LinkPartsToDecode(rows, LinkedFormat(format, colors), width, height); parts.ok()) {
    for (const LinkPart& part : *parts) {
      if (part.payload + part.bytes > bytes || part.bytes > part.capacity) std::abort();
    }
  }

  const std::uint64_t shown_pitch = std::uint64_t{width} * 4;
  const auto shown = std::make_unique<std::byte[]>(shown_pitch * height);
  std::vector<std::byte> before(shown.get(), shown.get() + shown_pitch * height);
  // Half of the inputs are rotated; some of these are refused.
  const auto rotation = static_cast<color::Rotation>(data[3] / kLinkEncodings / 4 % 2 * (1 + data[2] % 3));
  const std::uint64_t pitch_in_memory = color::IsQuarterTurn(rotation) ? std::uint64_t{height} * 4 : shown_pitch;
  const auto decoded = DecodeLinkRows(rows, {shown.get(), pitch_in_memory, LinkedFormat(format, colors), width, height},
                                      MonotonicClock(), room, rotation);
  if (!decoded.ok() && !std::equal(before.begin(), before.end(), shown.get())) std::abort();
  static_cast<void>(EncodeLinkRows(rows, {picture.data(), pitch, format, width, height}, MonotonicClock(), room));
  return 0;
}
