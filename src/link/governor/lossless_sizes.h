// What each slice of a frame would take without loss and with no tile left out, as far as it is known from frames that were coded
// so and from single slices that were coded so besides. Internal to the module.
#pragma once

#include <array>
#include <cstdint>

#include "link/surface/link_surface.h"

namespace tandem::link {

// Not thread-safe. Allocates nothing.
class LosslessSizes {
 public:
  // `slices`: of a frame, 1..kMaxLinkSlices.
  explicit LosslessSizes(std::uint32_t slices) : slices_(slices) {}

  // The slice was coded without loss, as all of its frame. All of its tiles together.
  void Know(std::uint32_t slice, std::uint64_t bytes) { known_[slice] = {static_cast<double>(bytes), slices_}; }
  // It alone was: when it differs from what was known of it, the others are expected to have changed too, by a part of that, and
  // the more the longer ago it is that they were coded.
  void Probe(std::uint32_t slice, std::uint64_t bytes);
  // Of the frame; slices that nothing is known of count as the mean of the others. 0: nothing is known.
  [[nodiscard]] std::uint64_t Whole() const;

 private:
  struct Known {
    double bytes = 0;       // 0: not known
    std::uint32_t age = 0;  // probes since, as many as there are slices at the most
  };
  std::uint32_t slices_;
  std::array<Known, kMaxLinkSlices> known_{};
};

}  // namespace tandem::link
