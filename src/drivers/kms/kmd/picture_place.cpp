#include "drivers/kms/kmd/picture_place.h"

#include <utility>

namespace tandem::kms {

std::optional<ScreenPoint> OnScreen(const PointerRect& pointer, const PicturePlace& place) {
  const std::int64_t from_right = std::int64_t{place.width} - pointer.x - pointer.width;
  const std::int64_t from_bottom = std::int64_t{place.height} - pointer.y - pointer.height;
  std::int64_t left = pointer.x, top = pointer.y;
  switch (place.rotation) {
    case color::Rotation::kIdentity: break;
    case color::Rotation::k90:
      left = pointer.y;
      top = from_right;
      break;
    case color::Rotation::k180:
      left = from_right;
      top = from_bottom;
      break;
    case color::Rotation::k270:
      left = from_bottom;
      top = pointer.x;
      break;
  }
  std::int64_t width = place.width, height = place.height, own_width = pointer.width, own_height = pointer.height;
  if (color::IsQuarterTurn(place.rotation)) {
    std::swap(width, height);
    std::swap(own_width, own_height);
  }
  if (width == 0 || height == 0) return std::nullopt;
  const color::BlitRect& content = place.content;
  left = content.left + left * content.width() / width;
  top = content.top + top * content.height() / height;
  if (left >= content.right || top >= content.bottom || left + own_width <= content.left || top + own_height <= content.top) {
    return std::nullopt;
  }
  return ScreenPoint{static_cast<std::int32_t>(left), static_cast<std::int32_t>(top)};
}

}  // namespace tandem::kms
