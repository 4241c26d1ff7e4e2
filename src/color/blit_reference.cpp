#include <cstring>
#include <optional>

#include "color/blit.h"
#include "color/channels.h"
#include "color/dither.h"

namespace tandem::color {
namespace {

std::uint64_t Load(const std::byte* at, std::uint32_t bytes) {
  std::uint64_t pixel = 0;
  std::memcpy(&pixel, at, bytes);
  return pixel;
}

}  // namespace

bool SameBits(Format a, Format b) {
  const std::uint32_t bytes = BytesPerPixel(a);
  const PixelLayout& left = LayoutOf(a);
  const PixelLayout& right = LayoutOf(b);
  return bytes != 0 && bytes == BytesPerPixel(b) && left.color == right.color && left.shift == right.shift;
}

bool CanBlit(Format source, Format destination, Transfer transfer) {
  if (BytesPerPixel(source) == 0 || BytesPerPixel(destination) == 0) return false;
  return transfer == Transfer::kPassThrough || LayoutOf(destination).color != ChannelCode::kHalf;
}

std::uint32_t StretchedPosition(std::uint32_t position, std::uint32_t source, std::uint32_t destination) {
  return static_cast<std::uint32_t>((2 * std::uint64_t{position} + 1) * source / (2 * std::uint64_t{destination}));
}

BlitRect RotatedRect(const BlitRect& rect, std::uint32_t width, std::uint32_t height, Rotation rotation) {
  switch (rotation) {
    case Rotation::kIdentity: break;
    case Rotation::k90: return {rect.top, width - rect.right, rect.bottom, width - rect.left};
    case Rotation::k180: return {width - rect.right, height - rect.bottom, width - rect.left, height - rect.top};
    case Rotation::k270: return {height - rect.bottom, rect.left, height - rect.top, rect.right};
  }
  return rect;
}

std::uint64_t PixelOfArgb(std::uint32_t argb, Format format) {
  return SameBits(Format::kB8G8R8A8Unorm, format) ? argb
                                                  : PixelConverter(Format::kB8G8R8A8Unorm, format, Transfer::kPassThrough)(argb);
}

void BlitReference(const BlitRequest& request) {
  const std::uint32_t from_bytes = BytesPerPixel(request.source_format);
  const std::uint32_t to_bytes = BytesPerPixel(request.destination_format);
  const bool same_bits =
      SameBits(request.source_format, request.destination_format) && request.transfer == Transfer::kPassThrough;
  const PixelConverter convert(request.source_format, request.destination_format, request.transfer);
  std::optional<PixelDitherer> dither;
  if (request.dither && Dithers(request.source_format, request.destination_format)) {
    dither.emplace(request.source_format, request.destination_format, request.transfer);
  }
  const std::uint64_t source_mask = LayoutOf(request.source_format).color_mask;
  const std::uint64_t destination_mask = LayoutOf(request.destination_format).color_mask;
  const std::uint32_t width = request.part.width();
  const std::uint32_t height = request.part.height();
  for (std::uint32_t y = 0; y < height; ++y) {
    const std::uint32_t from_y = StretchedPosition(request.part.top + y, request.source_height, request.destination_height);
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t from_x = StretchedPosition(request.part.left + x, request.source_width, request.destination_width);
      const std::uint64_t pixel =
          Load(request.source + from_y * request.source_pitch + std::uint64_t{from_x} * from_bytes, from_bytes);
      const BlitRect at = RotatedRect({x, y, x + 1, y + 1}, width, height, request.rotation);
      std::byte* const to = request.destination + at.top * request.destination_pitch + std::uint64_t{at.left} * to_bytes;
      if (request.key == ColorKey::kSkipSource && ((pixel ^ request.key_pixel) & source_mask) == 0) continue;
      if (request.key == ColorKey::kOnlyOver && ((Load(to, to_bytes) ^ request.key_pixel) & destination_mask) != 0) continue;
      const auto dithered = [&] { return (*dither)(pixel, DitherThresholdsAt(request.part.left + x, request.part.top + y)[0]); };
      const std::uint64_t written = same_bits ? pixel : dither ? dithered() : convert(pixel);
      std::memcpy(to, &written, to_bytes);
    }
  }
}

}  // namespace tandem::color
