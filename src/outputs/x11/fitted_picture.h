// A picture of the window's size with a scaled or moved frame in it.
#pragma once

#include <cstddef>
#include <vector>

#include "outputs/fit.h"
#include "outputs/output.h"

namespace tandem::outputs {

// Threads: one.
class FittedPicture {
 public:
  // Composes `surface` over opaque black, by nearest neighbours. The pixels stay valid until the next call.
  [[nodiscard]] Surface Compose(const Surface& surface, const Fit& fit, Extent window);

 private:
  Extent extent_;
  Placement placed_;
  std::vector<std::byte> pixels_;
  std::vector<std::byte> decoded_;  // a frame in a format that blits do not read
};

}  // namespace tandem::outputs
