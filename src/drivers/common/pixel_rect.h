// Rectangles in pixels, wide enough that no difference of two coordinates overflows.
#pragma once

#include <cstdint>

#include "base/limits.h"

#include <d3dukmdt.h>

namespace tandem::drivers {

// Half open.
struct PixelRect {
  std::int64_t left = 0, top = 0, right = 0, bottom = 0;

  [[nodiscard]] std::int64_t width() const { return right - left; }
  [[nodiscard]] std::int64_t height() const { return bottom - top; }
  [[nodiscard]] bool empty() const { return right <= left || bottom <= top; }
  // Every corner has even coordinates: no pixel outside shares chroma with one inside.
  [[nodiscard]] bool even() const { return ((left | top | right | bottom) & 1) == 0; }
  // An empty rectangle is inside nothing.
  [[nodiscard]] bool Inside(const PixelRect& outer) const {
    return left >= outer.left && top >= outer.top && right <= outer.right && bottom <= outer.bottom && !empty();
  }
  [[nodiscard]] bool IsSameExtent(const PixelRect& other) const { return width() == other.width() && height() == other.height(); }
  // No larger than a surface can be, and not empty.
  [[nodiscard]] bool IsStretchable() const {
    return !empty() && width() <= std::int64_t{kMaxSurfaceExtent} && height() <= std::int64_t{kMaxSurfaceExtent};
  }
};

[[nodiscard]] inline PixelRect ToPixelRect(const RECT& rect) { return {rect.left, rect.top, rect.right, rect.bottom}; }
// Precondition: `rect` is inside a surface.
[[nodiscard]] inline RECT ToRect(const PixelRect& rect) {
  return {static_cast<LONG>(rect.left), static_cast<LONG>(rect.top), static_cast<LONG>(rect.right),
          static_cast<LONG>(rect.bottom)};
}
[[nodiscard]] inline PixelRect WholeOf(std::uint32_t width, std::uint32_t height) { return {0, 0, width, height}; }

}  // namespace tandem::drivers
