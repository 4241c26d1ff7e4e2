#include "link/surface/link_reference_rows.h"

#include "color/copy.h"

namespace tandem::link {

ReferenceRows::ReferenceRows(const LinkWalk& walk, const LinkPlace& place, std::uint32_t width, LinkEncoding encoding,
                             const LinkSlice& slice)
    : width_(width),
      row_count_(place.row_count),
      now_(walk.header().frame),
      rows_(walk.reference() + place.first_row * pitch()),
      reference_{slice.encoding == static_cast<std::uint32_t>(encoding) ? slice.reference_frame : 0, slice.backoff},
      compares_(reference_.Compares(walk.LoadHeld(place.index).frame)) {}

PassCount ReferenceRows::Follow(LinkSlice& slice, std::uint32_t still, const std::byte* rows, std::uint64_t pitch, bool changed) {
  const bool keeps = reference_.Follow(compares_, still, now_);
  slice.reference_frame = reference_.frame;
  slice.backoff = reference_.backoff;
  if (!keeps || !changed) return {};
  const std::uint64_t row_bytes = std::uint64_t{width_} * 4;
  color::CopyRows(rows_, this->pitch(), rows, pitch, row_bytes, row_count_);
  return {std::uint64_t{width_} * row_count_, row_bytes * row_count_};
}

}  // namespace tandem::link
