#include "bus/qxl/qxl_pointer.h"

#include <algorithm>
#include <cstring>

#include <spice/enums.h>

#include "bus/pointer_picture.h"
#include "bus/qxl/qxl_pieces.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kMostExtent = 256;

}  // namespace

Result<void> QxlPointer::Execute(const QxlMemory& memory, const QXLCursorCmd& command) {
  switch (command.type) {
    case QXL_CURSOR_SET:
      x_ = command.u.set.position.x;
      y_ = command.u.set.position.y;
      visible_ = command.u.set.visible != 0;
      return SetShape(memory, command.u.set.shape);
    case QXL_CURSOR_MOVE:
      x_ = command.u.position.x;
      y_ = command.u.position.y;
      visible_ = true;
      return {};
    case QXL_CURSOR_HIDE: visible_ = false; return {};
    case QXL_CURSOR_TRAIL: return {};
    default: return Fail(ErrorKind::kUnsupported, "Pointer commands of type {} do nothing.", command.type);
  }
}

Result<void> QxlPointer::SetShape(const QxlMemory& memory, QXLPHYSICAL address) {
  shape_.clear();
  const auto cursor = memory.Read<QXLCursor>(address);
  if (!cursor) return Fail(ErrorKind::kInvalidArgument, "A pointer's shape lies outside of its slot.");
  const std::uint32_t width = cursor->header.width, height = cursor->header.height;
  if (width == 0 || height == 0 || width > kMostExtent || height > kMostExtent) {
    return Fail(ErrorKind::kInvalidArgument, "A pointer of {} x {} pixels is not within 1 x 1 and {} x {}.", width, height,
                kMostExtent, kMostExtent);
  }
  const std::uint16_t type = cursor->header.type;
  if (type != SPICE_CURSOR_TYPE_ALPHA && type != SPICE_CURSOR_TYPE_MONO)
    return Fail(ErrorKind::kUnsupported, "Pointers of type {} are not shown.", type);
  kind_ = type == SPICE_CURSOR_TYPE_MONO ? Kind::kMonochrome : Kind::kAlpha;
  width_ = width;
  height_ = height;
  hot_x_ = cursor->header.hot_spot_x;
  hot_y_ = cursor->header.hot_spot_y;
  std::vector<std::byte> shape(kind_ == Kind::kAlpha ? std::size_t{width} * height * 4
                                                     : std::size_t{2} * ((width + 7) / 8) * height);
  QxlPieces pieces(memory, address + offsetof(QXLCursor, chunk));
  if (auto copied = pieces.Copy(shape); !copied.ok()) return copied;
  shape_ = std::move(shape);
  return {};
}

bool QxlPointer::Covers(const color::BlitRect& part) const {
  const std::int64_t left = x_ - hot_x_, top = y_ - hot_y_;
  return visible_ && !shape_.empty() && left < part.right && left + width_ > part.left && top < part.bottom &&
         top + height_ > part.top;
}

void QxlPointer::DrawOver(const color::BlitRect& part, std::byte* pixels, std::uint64_t pitch) const {
  const std::int64_t left = x_ - hot_x_, top = y_ - hot_y_;
  const std::int64_t right = std::min<std::int64_t>(left + width_, part.right);
  const std::int64_t bottom = std::min<std::int64_t>(top + height_, part.bottom);
  for (std::int64_t y = std::max<std::int64_t>(top, part.top); y < bottom; ++y) {
    for (std::int64_t x = std::max<std::int64_t>(left, part.left); x < right; ++x) {
      DrawPixel(static_cast<std::size_t>(x - left), static_cast<std::size_t>(y - top),
                pixels + static_cast<std::uint64_t>(y - part.top) * pitch + static_cast<std::uint64_t>(x - part.left) * 4);
    }
  }
}

bool QxlPointer::Bit(std::size_t row, std::size_t column) const {
  const std::size_t row_bytes = (width_ + 7) / 8;
  return (shape_[row * row_bytes + column / 8] & std::byte{0x80} >> (column % 8)) != std::byte{};
}

void QxlPointer::DrawPixel(std::size_t x, std::size_t y, std::byte* under) const {
  if (kind_ == Kind::kAlpha) {
    const std::byte* const over = &shape_[(y * width_ + x) * 4];
    for (std::size_t channel = 0; channel < 3; ++channel)
      under[channel] = Mix(over[channel], under[channel], std::to_integer<unsigned>(over[3]));
    return;
  }
  const std::byte keep = Bit(y, x) ? std::byte{0xFF} : std::byte{}, flip = Bit(height_ + y, x) ? std::byte{0xFF} : std::byte{};
  for (std::size_t channel = 0; channel < 3; ++channel) under[channel] = (under[channel] & keep) ^ flip;
}

}  // namespace tandem::bus
