#include "outputs/fit.h"

#include <algorithm>

namespace tandem::outputs {
namespace {

// `value` * `multiplier` / `divisor`, at least 1.
std::uint32_t Scaled(std::uint32_t value, std::uint32_t multiplier, std::uint32_t divisor) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(std::uint64_t{value} * multiplier / divisor, 1));
}

Extent Resized(Scaling scaling, Extent picture, Extent window) {
  switch (scaling) {
    case Scaling::kNone:
    case Scaling::kOneToOne: return picture;
    case Scaling::kStretch: return window;
    case Scaling::kAspect: break;
  }
  const bool fills_width = std::uint64_t{picture.width} * window.height >= std::uint64_t{window.width} * picture.height;
  return fills_width ? Extent{window.width, Scaled(picture.height, window.width, picture.width)}
                     : Extent{Scaled(picture.width, window.height, picture.height), window.height};
}

std::int64_t Offset(Gravity gravity, std::uint32_t picture, std::uint32_t window) {
  const std::int64_t free = std::int64_t{window} - std::int64_t{picture};
  switch (gravity) {
    case Gravity::kMin: return 0;
    case Gravity::kMax: return free;
    case Gravity::kCentered: break;
  }
  return free / 2;
}

}  // namespace

Placement Place(const Fit& fit, Extent picture, Extent window) {
  const Extent size = Resized(fit.scaling, picture, window);
  return {Offset(fit.x, size.width, window.width), Offset(fit.y, size.height, window.height), size};
}

}  // namespace tandem::outputs
