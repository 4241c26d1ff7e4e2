// The place of a picture in a window of another size.
#pragma once

#include <cstdint>

namespace tandem::outputs {

enum class Scaling : std::uint8_t {
  kNone,      // the picture keeps its size, in the window's upper left corner; the rest of the window stays as it is
  kOneToOne,  // the picture keeps its size
  kAspect,    // the largest size within the window that keeps the picture's proportions
  kStretch,   // the window's size
};
enum class Gravity : std::uint8_t { kMin, kMax, kCentered };

struct alignas(4) Fit {
  Scaling scaling = Scaling::kNone;
  Gravity x = Gravity::kMin;  // places a picture that does not fill the window, or exceeds it
  Gravity y = Gravity::kMin;
  friend bool operator==(const Fit&, const Fit&) = default;
};

struct Extent {
  std::uint32_t width = 0;  // pixels
  std::uint32_t height = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

// The whole picture in coordinates of the window, beyond its edges for a picture that exceeds it.
struct Placement {
  std::int64_t left = 0;  // pixels
  std::int64_t top = 0;
  Extent size;  // 1 x 1 or more
  friend bool operator==(const Placement&, const Placement&) = default;
};

// Extents are 1 x 1 or more.
[[nodiscard]] Placement Place(const Fit& fit, Extent picture, Extent window);

}  // namespace tandem::outputs
