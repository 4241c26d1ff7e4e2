#include "bus/virtio/gpu_pointer.h"

#include <algorithm>
#include <array>

#include "bus/pointer_picture.h"

namespace tandem::bus {
namespace {

constexpr std::int64_t kExtent = kPointerExtent;
constexpr std::uint64_t kPitch = std::uint64_t{kPointerExtent} * 4;

}  // namespace

virtio::GpuAnswer GpuPointer::Update(const virtio::GpuCursor& command, const GpuResource* resource) {
  if (resource == nullptr) {
    Hide();
  } else if (!Fits(*resource)) {
    return virtio::GpuAnswer::kInvalidResource;
  } else {
    image_.assign(resource->data(), resource->data() + kPitch * kPointerExtent);
    format_ = resource->format;
  }
  hot_x_ = command.hot_x;
  hot_y_ = command.hot_y;
  Move(command);
  return virtio::GpuAnswer::kOk;
}

void GpuPointer::Move(const virtio::GpuCursor& command) {
  left_ = std::int64_t{command.x} - hot_x_;
  top_ = std::int64_t{command.y} - hot_y_;
}

bool GpuPointer::Covers(const color::BlitRect& part) const {
  return !image_.empty() && left_ < part.right && left_ + kExtent > part.left && top_ < part.bottom && top_ + kExtent > part.top;
}

void GpuPointer::Blend(const color::BlitRect& part, color::Format format, std::byte* pixels, std::uint64_t pitch) const {
  const std::size_t first = format == format_ ? 0 : 2;  // red and blue change places
  const std::int64_t right = std::min<std::int64_t>(left_ + kExtent, part.right);
  const std::int64_t bottom = std::min<std::int64_t>(top_ + kExtent, part.bottom);
  for (std::int64_t y = std::max<std::int64_t>(top_, part.top); y < bottom; ++y) {
    for (std::int64_t x = std::max<std::int64_t>(left_, part.left); x < right; ++x) {
      const std::byte* const over =
          &image_[static_cast<std::size_t>(y - top_) * kPitch + static_cast<std::size_t>(x - left_) * 4];
      std::byte* const under =
          pixels + static_cast<std::uint64_t>(y - part.top) * pitch + static_cast<std::uint64_t>(x - part.left) * 4;
      const auto alpha = std::to_integer<unsigned>(over[3]);
      under[0] = Mix(over[first], under[0], alpha);
      under[1] = Mix(over[1], under[1], alpha);
      under[2] = Mix(over[2 - first], under[2], alpha);
    }
  }
}

}  // namespace tandem::bus
