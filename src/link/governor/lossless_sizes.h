// Estimates the lossless size of each slice, with no tile left out. Sources: frames coded in full, and single probed slices.
// Internal to the module.
#pragma once

#include <array>
#include <cstdint>

#include "link/surface/link_surface.h"

namespace tandem::link {

// Not thread-safe. Allocates nothing.
class LosslessSizes {
 public:
  // `slices` in a frame, 1..kMaxLinkSlices.
  explicit LosslessSizes(std::uint32_t slices) : slices_(slices) {}

  // Records the slice's size after all slices of a frame were coded lossless, with all tiles.
  void Know(std::uint32_t slice, std::uint64_t bytes) { known_[slice] = {static_cast<double>(bytes), slices_}; }
  // Records the size of a slice that was probed alone. A change from its known size changes the others' sizes in part, the more
  // the longer ago they were coded.
  void Probe(std::uint32_t slice, std::uint64_t bytes);
  // Lossless size of the frame; unknown slices count as the mean of the known ones. 0: no slice is known.
  [[nodiscard]] std::uint64_t Whole() const;

 private:
  struct Known {
    double bytes = 0;       // 0: unknown
    std::uint32_t age = 0;  // probes since, capped at the number of slices
  };
  std::uint32_t slices_;
  std::array<Known, kMaxLinkSlices> known_{};
};

}  // namespace tandem::link
