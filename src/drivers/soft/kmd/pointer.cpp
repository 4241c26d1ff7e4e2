#include "drivers/soft/kmd/pointer.h"

#include <algorithm>
#include <cstring>

namespace tandem::soft {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint32_t kColors = 0xFFFFFF;
constexpr color::Format kEightBits = color::Format::kB8G8R8A8Unorm;

using Pixel = PointerImage::Pixel;

// Bit `x` of a row, the first one highest.
bool BitAt(const std::byte* row, std::uint32_t x) { return (std::to_integer<unsigned>(row[x / 8]) >> (7 - x % 8) & 1) != 0; }

Pixel ReadMasks(const std::byte* and_row, const std::byte* xor_row, std::uint32_t x) {
  return {BitAt(and_row, x) ? kColors : 0, BitAt(xor_row, x) ? kColors : 0, 0, 0};
}

std::uint32_t ArgbAt(const std::byte* row, std::uint32_t x) {
  std::uint32_t argb = 0;
  std::memcpy(&argb, row + std::size_t{x} * kPixelBytes, sizeof(argb));
  return argb;
}

Pixel ReadColor(std::uint32_t argb) { return {kColors, 0, argb & kColors, static_cast<std::uint8_t>(argb >> 24)}; }
Pixel ReadMaskedColor(std::uint32_t argb) { return {argb >> 24 != 0 ? kColors : 0, argb & kColors, 0, 0}; }

bool ChangesNothing(const Pixel& pixel) { return pixel.and_mask == kColors && pixel.xor_mask == 0 && pixel.alpha == 0; }

std::uint32_t Mix(std::uint32_t over, std::uint32_t under, std::uint32_t alpha) {
  return (over * alpha + under * (255 - alpha) + 127) / 255;
}

std::uint32_t Apply(const Pixel& pixel, std::uint32_t under) {
  if (pixel.alpha == 0) return (under & (pixel.and_mask | ~kColors)) ^ pixel.xor_mask;
  std::uint32_t mixed = under & ~kColors;
  for (const unsigned shift : {0U, 8U, 16U}) mixed |= Mix(pixel.color >> shift & 255, under >> shift & 255, pixel.alpha) << shift;
  return mixed;
}

constexpr std::uint32_t SwapRedAndBlue(std::uint32_t pixel) {
  return (pixel & 0xFF00FF00) | (pixel >> 16 & 255) | (pixel & 255) << 16;
}

}  // namespace

std::shared_ptr<const PointerImage> PointerImage::Read(const DXGKARG_SETPOINTERSHAPE& shape) {
  auto image = std::make_shared<PointerImage>();
  image->width = shape.Width;
  image->height = shape.Height;
  image->pixels.reserve(std::size_t{shape.Width} * shape.Height);
  const auto* const pixels = static_cast<const std::byte*>(shape.pPixels);
  for (std::size_t y = 0; y < shape.Height; ++y) {
    const std::byte* const row = pixels + y * shape.Pitch;
    for (std::uint32_t x = 0; x < shape.Width; ++x) {
      image->pixels.push_back(shape.Flags.Monochrome ? ReadMasks(row, row + std::size_t{shape.Height} * shape.Pitch, x)
                              : shape.Flags.Color    ? ReadColor(ArgbAt(row, x))
                                                     : ReadMaskedColor(ArgbAt(row, x)));
    }
  }
  return image;
}

color::BlitRect Pointer::SeenPart(std::uint32_t width, std::uint32_t height) const {
  if (!visible || image == nullptr) return {};
  const auto clip = [](std::int64_t at, std::uint32_t extent) {
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(at, 0, extent));
  };
  const color::BlitRect part{clip(x, width), clip(y, height), clip(std::int64_t{x} + image->width, width),
                             clip(std::int64_t{y} + image->height, height)};
  return part.width() == 0 || part.height() == 0 ? color::BlitRect{} : part;
}

void PointerPainter::Draw(const Pointer& pointer, const color::BlitRect& seen, std::byte* pixels, std::uint64_t pitch,
                          color::Format format) {
  const bool swaps = color::SameBits(format, color::Format::kR8G8B8A8Unorm);
  if (!swaps && !color::SameBits(format, kEightBits)) return DrawConverted(pointer, seen, pixels, pitch, format);
  for (std::uint32_t y = seen.top; y < seen.bottom; ++y) {
    const auto row = static_cast<std::size_t>(std::int64_t{y} - pointer.y) * pointer.image->width;
    for (std::uint32_t x = seen.left; x < seen.right; ++x) {
      const Pixel& pixel = pointer.image->pixels[row + static_cast<std::size_t>(std::int64_t{x} - pointer.x)];
      std::byte* const at = pixels + y * pitch + std::uint64_t{x} * kPixelBytes;
      std::uint32_t under = 0;
      std::memcpy(&under, at, sizeof(under));
      const std::uint32_t over = swaps ? SwapRedAndBlue(Apply(pixel, SwapRedAndBlue(under))) : Apply(pixel, under);
      std::memcpy(at, &over, sizeof(over));
    }
  }
}

// Pixels that the pointer leaves alone keep all their bits.
void PointerPainter::DrawConverted(const Pointer& pointer, const color::BlitRect& seen, std::byte* pixels, std::uint64_t pitch,
                                   color::Format format) {
  const std::uint32_t bytes = color::BytesPerPixel(format);
  const std::uint64_t eight_pitch = std::uint64_t{seen.width()} * kPixelBytes, own_pitch = std::uint64_t{seen.width()} * bytes;
  eight_bits_.resize(eight_pitch * seen.height());
  changed_.resize(own_pitch * seen.height());
  std::byte* const covered = pixels + seen.top * pitch + std::uint64_t{seen.left} * bytes;
  color::BlitRequest request = color::TurnOf(covered, pitch, format, seen.width(), seen.height(), eight_bits_.data(), eight_pitch,
                                             color::Rotation::kIdentity);
  request.destination_format = kEightBits;
  color::Blit(request);
  const std::int32_t left = static_cast<std::int32_t>(seen.left), top = static_cast<std::int32_t>(seen.top);
  const Pointer moved{pointer.image, pointer.x - left, pointer.y - top, true};
  Draw(moved, {0, 0, seen.width(), seen.height()}, eight_bits_.data(), eight_pitch, kEightBits);
  request = color::TurnOf(eight_bits_.data(), eight_pitch, kEightBits, seen.width(), seen.height(), changed_.data(), own_pitch,
                          color::Rotation::kIdentity);
  request.destination_format = format;
  color::Blit(request);
  for (std::uint32_t y = 0; y < seen.height(); ++y) {
    const auto row = static_cast<std::size_t>(std::int64_t{y} - moved.y) * pointer.image->width;
    for (std::uint32_t x = 0; x < seen.width(); ++x) {
      if (ChangesNothing(pointer.image->pixels[row + static_cast<std::size_t>(std::int64_t{x} - moved.x)])) continue;
      std::memcpy(covered + y * pitch + std::uint64_t{x} * bytes, changed_.data() + y * own_pitch + std::uint64_t{x} * bytes,
                  bytes);
    }
  }
}

}  // namespace tandem::soft
