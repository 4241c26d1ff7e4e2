// One slice of a link surface as shaders code it, and what of it is plain to see.
#pragma once

#include <cstdint>

#include "codec/tiles/tile_encoder.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "link/surface/link_parts.h"

namespace tandem::vulkan {

// One slice. What is in the surface itself is never trusted: places and sizes are those of the part and of the surfaces.
struct LinkJob {
  link::LinkPart part;
  BlitSide picture;  // its rows, in the extent that crosses; of an image that is encoded none are needed
  color::Rotation rotation = color::Rotation::kIdentity;  // how a picture that is decoded stands in the rows
  const Allocation* image = nullptr;                      // that the picture is in, where it is not in the rows
  BlitSide surface;
  Rows reference;         // rows as the picture's, of this device's own
  bool compares = false;  // with the reference
  bool keeps = false;     // the picture's rows as the next reference
};

// Of everything that is coded.
inline constexpr std::uint32_t kPixelBytes = 4;

[[nodiscard]] constexpr std::uint64_t WholeWords(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

// The most that the slice takes in tiles.
[[nodiscard]] inline std::uint64_t TileBytes(const link::LinkPart& part, std::uint32_t width) {
  return WholeWords(codec::TileSliceCapacity(codec::TileContent::kBgrx8, width, codec::TileRows(part.row_count)));
}

[[nodiscard]] inline bool IsTurned(const LinkJob& job) { return job.rotation != color::Rotation::kIdentity; }
// Of the slice, in the picture's rows.
[[nodiscard]] inline color::BlitRect AreaOf(const LinkJob& job) {
  const color::BlitRect crossed{0, job.part.first_row, job.picture.width, job.part.first_row + job.part.row_count};
  return color::RotatedRect(crossed, job.picture.width, job.picture.height, job.rotation);
}
[[nodiscard]] inline std::uint64_t FirstByte(const LinkJob& job) {
  const color::BlitRect area = AreaOf(job);
  return std::uint64_t{area.top} * job.picture.pitch + std::uint64_t{area.left} * PixelBytes(job.picture.format);
}
// Of the picture, as it stands.
[[nodiscard]] inline std::uint64_t BytesOf(const LinkJob& job) {
  return std::uint64_t{job.picture.pitch} * (color::IsQuarterTurn(job.rotation) ? job.picture.width : job.picture.height);
}

[[nodiscard]] inline bool IsPacked(const LinkJob& job) { return job.part.encoding == link::LinkEncoding::kPacked; }
// Plain rows are copied, but turned ones are not rows any more.
[[nodiscard]] inline bool IsFixedRate(const LinkJob& job) {
  return IsPacked(job) || job.part.encoding == link::LinkEncoding::kBc1 ||
         (job.part.encoding == link::LinkEncoding::kPlain && IsTurned(job));
}

[[nodiscard]] inline bool HasTenBits(const LinkJob& job) { return job.picture.format == color::Format::kR10G10B10A2Unorm; }
// Whether the picture is brought to eight bits before it is coded, or from there when it was: half floats always, on their way
// in; ten bits for what does not bring them back exactly.
[[nodiscard]] inline bool Converts(const LinkJob& job, bool encodes) {
  if (HasTenBits(job)) return !link::IsExact(job.part.encoding);
  return encodes && !link::HasEightBits(job.picture.format);
}

}  // namespace tandem::vulkan
