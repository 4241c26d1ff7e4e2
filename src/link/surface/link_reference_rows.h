// Rows of a slice as the decoder holds them. The encoder keeps them behind the payloads to find unchanged tiles. Internal to
// the module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/pass_meter.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_rows.h"

namespace tandem::link {

class ReferenceRows {
 public:
  // `slice`: the record of its last coding. Rows coded in another encoding are not used: this encoding would make other pixels,
  // and another engine may have decoded them.
  ReferenceRows(const LinkWalk& walk, const LinkPlace& place, std::uint32_t width, LinkEncoding encoding, const LinkSlice& slice);

  [[nodiscard]] bool compares() const { return compares_; }
  // Four bytes a pixel; valid while compares().
  [[nodiscard]] std::byte* rows() const { return rows_; }
  [[nodiscard]] std::uint64_t pitch() const { return LinkReferencePitch(width_); }
  [[nodiscard]] std::uint64_t frame() const { return reference_.frame; }  // frame of the rows

  // Records that the slice was coded and `still` per mille of it had not changed. Its rows, `pitch` bytes apart, become the
  // kept ones if that is worth it; `slice` records the result. `changed`: the rows differ from the kept ones and are copied.
  // Returns the pass of that copy.
  PassCount Follow(LinkSlice& slice, std::uint32_t still, const std::byte* rows, std::uint64_t pitch, bool changed);

 private:
  const std::uint32_t width_;
  const std::uint32_t row_count_;
  const std::uint64_t now_;  // frame
  std::byte* const rows_;
  LinkReference reference_;
  bool compares_;
};

}  // namespace tandem::link
