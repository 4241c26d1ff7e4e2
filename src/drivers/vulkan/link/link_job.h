// One slice of a link surface for encoding or decoding in shaders, with properties derived from it.
#pragma once

#include <cstdint>

#include "codec/tiles/tile_encoder.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "link/surface/link_parts.h"

namespace tandem::vulkan {

// One slice. The surface's contents are never trusted: positions and sizes come from the part and the surfaces.
struct LinkJob {
  link::LinkPart part;
  BlitSide picture;                                       // rows in the extent that crosses; not needed if an image is encoded
  color::Rotation rotation = color::Rotation::kIdentity;  // rotation of a decoded picture in the rows
  const Allocation* image = nullptr;                      // the image with the picture, if the rows do not hold it
  BlitSide surface;
  Rows reference;         // rows like the picture's, of this device's own
  bool compares = false;  // compares with the reference
  bool keeps = false;     // stores the picture's rows as the next reference
};

// Bytes of a pixel in every coded picture.
inline constexpr std::uint32_t kPixelBytes = 4;

[[nodiscard]] constexpr std::uint64_t WholeWords(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

// The slice's maximum bytes in tiles.
[[nodiscard]] inline std::uint64_t TileBytes(const link::LinkPart& part, std::uint32_t width) {
  return WholeWords(codec::TileSliceCapacity(codec::TileContent::kBgrx8, width, codec::TileRows(part.row_count)));
}

[[nodiscard]] inline bool IsTurned(const LinkJob& job) { return job.rotation != color::Rotation::kIdentity; }
// The slice's area in the picture's rows.
[[nodiscard]] inline color::BlitRect AreaOf(const LinkJob& job) {
  const color::BlitRect crossed{0, job.part.first_row, job.picture.width, job.part.first_row + job.part.row_count};
  return color::RotatedRect(crossed, job.picture.width, job.picture.height, job.rotation);
}
[[nodiscard]] inline std::uint64_t FirstByte(const LinkJob& job) {
  const color::BlitRect area = AreaOf(job);
  return std::uint64_t{area.top} * job.picture.pitch + std::uint64_t{area.left} * drivers::PixelBytes(job.picture.format);
}
// Bytes of the picture in memory.
[[nodiscard]] inline std::uint64_t BytesOf(const LinkJob& job) {
  return std::uint64_t{job.picture.pitch} * (color::IsQuarterTurn(job.rotation) ? job.picture.width : job.picture.height);
}

[[nodiscard]] inline bool IsPacked(const LinkJob& job) { return job.part.encoding == link::LinkEncoding::kPacked; }
// Upright plain rows are copied instead; rotated ones need a shader.
[[nodiscard]] inline bool IsFixedRate(const LinkJob& job) {
  return IsPacked(job) || job.part.encoding == link::LinkEncoding::kBc1 ||
         (job.part.encoding == link::LinkEncoding::kPlain && IsTurned(job));
}

[[nodiscard]] inline bool HasTenBits(const LinkJob& job) { return job.picture.format == color::Format::kR10G10B10A2Unorm; }
// True if the picture is converted to eight bits before encoding, or from them after decoding. Half floats are always converted
// before encoding. Ten bits are converted for encodings that do not restore them exactly.
[[nodiscard]] inline bool Converts(const LinkJob& job, bool encodes) {
  if (HasTenBits(job)) return !link::IsExact(job.part.encoding);
  return encodes && !link::HasEightBits(job.picture.format);
}

}  // namespace tandem::vulkan
