#include "link/surface/link_rows.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/limits.h"
#include "link/surface/link_tiles.h"

namespace tandem::link {
Result<LinkWalk> LinkWalk::Begin(const LinkRows& rows, std::uint32_t width, std::uint32_t height) {
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A link surface of {} x {} pixels; allowed are 1 to {}.", width, height,
                kMaxSurfaceExtent);
  }
  if (rows.surface.size() < LinkSurfaceBytes(width, height)) {
    return Fail(ErrorKind::kInvalidArgument, "A link surface of {} bytes; {} x {} pixels need {}.", rows.surface.size(), width,
                height, LinkSurfaceBytes(width, height));
  }
  LinkWalk walk(rows.surface, width, height);
  walk.header_ = ReadLinkHeader(rows.surface);
  const std::uint32_t slice_rows = walk.header_.slice_rows;
  if (walk.header_.magic != kLinkSurfaceMagic || slice_rows == 0 || slice_rows % kLinkUnitRows != 0 ||
      slice_rows > AlignUp(kMaxSurfaceExtent, kLinkUnitRows) || LinkSliceCount(height, slice_rows) > kMaxLinkSlices) {
    return Fail(ErrorKind::kInvalidArgument,
                "A link surface with magic 0x{:x} and {} rows a slice; 0x{:x} and multiples of {} "
                "with at most {} slices are valid.",
                walk.header_.magic, slice_rows, kLinkSurfaceMagic, kLinkUnitRows, kMaxLinkSlices);
  }
  if (walk.header_.frame == 0 || walk.header_.encoding >= kLinkEncodings) {
    return Fail(ErrorKind::kInvalidArgument,
                "A link surface requests frame {} in encoding {}; frames begin with 1, encodings end before {}.",
                walk.header_.frame, walk.header_.encoding, kLinkEncodings);
  }
  if (walk.header_.dithers > 1 || walk.header_.ten_bits > 1) {
    return Fail(ErrorKind::kInvalidArgument,
                "A link surface has {} for whether colours are dithered and {} for whether they get ten bits; 0 and 1 are valid.",
                walk.header_.dithers, walk.header_.ten_bits);
  }
  const auto yuv = ToLinkYuv(walk.header_.yuv);
  if (!yuv) {
    return Fail(ErrorKind::kInvalidArgument,
                "A link surface has 0x{:x} for how colours become 4:2:0; its bytes end with 2, 1 and 1 for matrix, range and "
                "filter.",
                walk.header_.yuv);
  }
  walk.colors_ = {walk.header_.dithers != 0, walk.header_.ten_bits != 0, *yuv};
  if (rows.first >= rows.end || rows.end > height || rows.first % slice_rows != 0 ||
      (rows.end % slice_rows != 0 && rows.end != height)) {
    return Fail(ErrorKind::kInvalidArgument, "Rows {} to {} of {} are not whole slices of {}.", rows.first, rows.end, height,
                slice_rows);
  }
  walk.first_ = rows.first / slice_rows;
  walk.end_ = LinkSliceCount(rows.end, slice_rows);
  return walk;
}

LinkPlace LinkWalk::PlaceOf(std::uint32_t slice) const {
  LinkPlace place;
  place.index = slice;
  place.first_row = slice * header_.slice_rows;
  place.row_count = std::min(header_.slice_rows, height_ - place.first_row);
  const std::uint64_t begin = LinkPayloadOffset(width_, place.first_row);
  place.payload = surface_.data() + begin;
  place.capacity = LinkPayloadOffset(width_, AlignUp(place.first_row + place.row_count, kLinkUnitRows)) - begin;
  return place;
}

std::uint64_t LinkWalk::BudgetOf(const LinkPlace& place, color::Format linked) const {
  if (header_.frame_bytes == 0) return 0;
  const std::uint64_t bytes = std::min(header_.frame_bytes, LinkSurfaceBytes(width_, height_));
  return std::max(bytes * place.row_count / height_, LinkTilesFloor(linked, width_, place.row_count));
}

std::byte* LinkWalk::reference() const {
  return surface_.data() + LinkSurfaceBytes(width_, height_) -
         AlignUp(std::uint64_t{LinkReferencePitch(width_)} * height_, std::uint64_t{4096});
}

}  // namespace tandem::link
