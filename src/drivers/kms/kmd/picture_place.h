// The place of a frame on the screen, and of the pointer over it.
#pragma once

#include <cstdint>
#include <optional>

#include "color/blit.h"

namespace tandem::kms {

// Extents in pixels.
struct PicturePlace {
  color::BlitRect content;  // of the frame on the mode's picture
  std::uint32_t width = 0;  // of the frame, before the rotation
  std::uint32_t height = 0;
  color::Rotation rotation = color::Rotation::kIdentity;

  friend bool operator==(const PicturePlace&, const PicturePlace&) = default;
};

// Pixels of the frame, before the rotation.
struct PointerRect {
  std::int32_t x = 0;  // of the upper left corner, which may lie outside
  std::int32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

struct ScreenPoint {
  std::int32_t x = 0;
  std::int32_t y = 0;

  friend bool operator==(const ScreenPoint&, const ScreenPoint&) = default;
};

// The upper left corner of the pointer, turned like the frame and in its own size; nothing when no pixel of it lies on the frame.
[[nodiscard]] std::optional<ScreenPoint> OnScreen(const PointerRect& pointer, const PicturePlace& place);

}  // namespace tandem::kms
