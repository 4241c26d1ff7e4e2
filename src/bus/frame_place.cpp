#include "bus/frame_place.h"

#include <algorithm>

namespace tandem::bus {

color::BlitRect PlaceOf(const outputs::Surface& frame, std::uint32_t width, std::uint32_t height) {
  std::uint32_t placed_width = frame.width, placed_height = frame.height;
  if (placed_width > width || placed_height > height) {
    const std::uint64_t by_width = std::uint64_t{placed_height} * width / placed_width;
    const bool wide = by_width <= height;
    const auto shrunk_width = wide ? width : static_cast<std::uint32_t>(std::uint64_t{placed_width} * height / placed_height);
    const auto shrunk_height = wide ? static_cast<std::uint32_t>(by_width) : height;
    placed_width = std::max(shrunk_width, 1u);
    placed_height = std::max(shrunk_height, 1u);
  }
  const std::uint32_t left = (width - placed_width) / 2, top = (height - placed_height) / 2;
  return {left, top, left + placed_width, top + placed_height};
}

bool CanDrawFrame(color::Format format) { return color::CanBlit(format, kScreenFormat, color::Transfer::kPassThrough); }

void DrawFrame(const outputs::Surface& frame, const color::BlitRect& place, std::byte* picture, std::uint32_t pitch) {
  color::BlitRequest request;
  request.source = frame.pixels;
  request.source_pitch = frame.pitch;
  request.source_format = frame.format;
  request.source_width = frame.width;
  request.source_height = frame.height;
  request.destination_pitch = pitch;
  request.destination = picture + place.top * request.destination_pitch + std::uint64_t{place.left} * kScreenPixelBytes;
  request.destination_format = kScreenFormat;
  request.destination_width = place.width();
  request.destination_height = place.height();
  request.part = {0, 0, place.width(), place.height()};
  request.dither = frame.dithers;
  color::Blit(request);
}

}  // namespace tandem::bus
