// The rows of a slice as the decoder holds them, which the encoder keeps behind the payloads to find what did not change.
// Internal to the module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/pass_meter.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_rows.h"

namespace tandem::link {

class ReferenceRows {
 public:
  // `slice`: as it was coded last. What it was coded in stays on the other side, so rows of another encoding are of no use: the
  // pixels there are not those that this one would make, and another engine may have decoded them.
  ReferenceRows(const LinkWalk& walk, const LinkPlace& place, std::uint32_t width, LinkEncoding encoding, const LinkSlice& slice);

  [[nodiscard]] bool compares() const { return compares_; }
  // Of four bytes a pixel; to be read where it compares.
  [[nodiscard]] std::byte* rows() const { return rows_; }
  [[nodiscard]] std::uint64_t pitch() const { return LinkReferencePitch(width_); }
  [[nodiscard]] std::uint64_t frame() const { return reference_.frame; }  // that the rows are of

  // The slice was coded, and `still` per mille of it had not changed: its rows, `pitch` bytes apart, are the kept ones from here
  // on, where that is worth it. Notes it in the slice. `changed`: whether the rows are to be copied. Answers that pass.
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
