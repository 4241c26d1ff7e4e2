#include "conform/fuzz/screen_values.h"

#include <algorithm>
#include <span>
#include <vector>

namespace tandem::conform {
namespace {

constexpr std::uint64_t kMostExtent = 96;  // pixels, above what a driver declares

kernel::PointerShape ShapeOf(const std::array<std::uint64_t, kMostFields>& numbers) {
  kernel::PointerShape shape;
  shape.kind = static_cast<kernel::PointerKind>(numbers[1] % 3);
  shape.width = static_cast<std::uint32_t>(std::min(numbers[2], kMostExtent));
  shape.height = static_cast<std::uint32_t>(std::min(numbers[3], kMostExtent));
  shape.pitch = shape.kind == kernel::PointerKind::kMonochrome ? (shape.width + 7) / 8 : shape.width * 4;
  return shape;
}

std::size_t BytesOf(const kernel::PointerShape& shape) {
  const std::size_t rows = std::size_t{shape.height} * (shape.kind == kernel::PointerKind::kMonochrome ? 2 : 1);
  return rows * shape.pitch;
}

}  // namespace

GuardedRamp::GuardedRamp(const std::array<std::uint64_t, kMostFields>& numbers)
    : type_(static_cast<D3DDDI_GAMMARAMP_TYPE>(numbers[2] % (D3DDDI_GAMMARAMP_MATRIX_V2 + 1))),
      values_(std::vector<std::byte>(type_ == D3DDDI_GAMMARAMP_RGB256x3x16 ? sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16) : 0,
                                     static_cast<std::byte>(numbers[3]))) {}

D3DKMDT_GAMMA_RAMP GuardedRamp::Get() {
  D3DKMDT_GAMMA_RAMP ramp{type_, values_.bytes().size(), {}};
  ramp.Data.pRaw = values_.bytes().data();
  return ramp;
}

GuardedShape::GuardedShape(const std::array<std::uint64_t, kMostFields>& numbers)
    : shape_(ShapeOf(numbers)), pixels_(BytesOf(shape_)) {
  const std::span<std::byte> pixels = pixels_.bytes();
  std::ranges::fill(pixels, static_cast<std::byte>(numbers[4]));
  if (shape_.kind != kernel::PointerKind::kMaskedColor) return;
  for (std::size_t alpha = 3; alpha < pixels.size(); alpha += 4) pixels[alpha] = alpha % 8 == 3 ? std::byte{0xFF} : std::byte{};
}

kernel::PointerShape GuardedShape::Get() {
  shape_.pixels = pixels_.bytes();
  return shape_;
}

kernel::PointerPosition PositionOf(const std::array<std::uint64_t, kMostFields>& numbers) {
  return {static_cast<std::int32_t>(numbers[1]), static_cast<std::int32_t>(numbers[2]), numbers[3] != 0};
}

}  // namespace tandem::conform
