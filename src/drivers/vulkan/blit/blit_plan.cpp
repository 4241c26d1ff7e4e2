#include "drivers/vulkan/blit/blit_plan.h"

#include <algorithm>
#include <cstring>

#include "color/copy.h"

namespace tandem::vulkan {
namespace {

template <class Pixel>
void FillRows(std::byte* first, std::uint64_t pitch, const color::BlitRect& rect, std::uint64_t value) {
  const auto pixel = static_cast<Pixel>(value);
  for (std::uint32_t y = 0; y < rect.height(); ++y) {
    std::byte* const row = first + y * pitch;
    for (std::uint32_t x = 0; x < rect.width(); ++x) std::memcpy(row + std::uint64_t{x} * sizeof(pixel), &pixel, sizeof(pixel));
  }
}

void Fill(const BlitPlan& plan, const RECT& rect) {
  const color::BlitRect memory = plan.MemoryOf(rect);
  const std::uint32_t pixel_bytes = plan.destination_pixel_bytes();
  std::byte* const first = plan.destination.rows.pixels + std::uint64_t{memory.top} * plan.destination.pitch +
                           std::uint64_t{memory.left} * pixel_bytes;
  if (pixel_bytes == sizeof(std::uint8_t)) {
    FillRows<std::uint8_t>(first, plan.destination.pitch, memory, plan.command.pixel);
  } else if (pixel_bytes == sizeof(std::uint64_t)) {
    FillRows<std::uint64_t>(first, plan.destination.pitch, memory, plan.command.pixel);
  } else {
    FillRows<std::uint32_t>(first, plan.destination.pitch, memory, plan.command.pixel);
  }
}

// Rows of this many bytes and their results fit a core's second-level cache.
constexpr std::uint64_t kStripBytes = std::uint64_t{256} << 10;

// Copies palette indexes between surfaces, without scaling or rotation.
void CopyIndexes(const BlitPlan& plan, const RECT& rect, const std::byte* from) {
  const color::BlitRequest request = plan.RequestOf(rect, from, plan.destination.rows.pixels);
  const color::BlitRect& part = request.part;
  color::CopyRows(request.destination, request.destination_pitch,
                  request.source + std::uint64_t{part.top} * request.source_pitch + part.left, request.source_pitch, part.width(),
                  part.height());
}

// Converts the rectangle's index rows to colours in `room`, then to the destination's format.
void ColorIndexes(const BlitPlan& plan, const RECT& rect, std::vector<std::byte>& room) {
  const BlitPlan::Span span = plan.SourceRowsOf(rect);
  color::BlitRequest request = plan.RequestOf(rect, plan.source.rows.pixels, plan.destination.rows.pixels);
  const std::uint64_t pitch = std::uint64_t{request.source_width} * drivers::PixelBytes(drivers::kPaletteColors);
  const std::uint64_t rows = span.end - span.first;
  if (room.size() < rows * pitch) room.resize(rows * pitch);
  drivers::ColorIndexes(plan.palette->colors(), room.data(), pitch,
                        request.source + std::uint64_t{span.first} * request.source_pitch, request.source_pitch,
                        request.source_width, rows);
  request.source = room.data() - span.first * pitch;
  request.source_pitch = pitch;
  request.source_format = drivers::kPaletteColors;
  color::Blit(request);
}

}  // namespace

color::BlitRect BlitPlan::PartOf(const RECT& rect) const {
  return {static_cast<std::uint32_t>(rect.left - command.to.left), static_cast<std::uint32_t>(rect.top - command.to.top),
          static_cast<std::uint32_t>(rect.right - command.to.left), static_cast<std::uint32_t>(rect.bottom - command.to.top)};
}

color::BlitRect BlitPlan::MemoryOf(const RECT& rect) const {
  const PictureExtent picture = PictureOf(destination.width, destination.height, command.rotation);
  const color::BlitRect in_picture{static_cast<std::uint32_t>(rect.left), static_cast<std::uint32_t>(rect.top),
                                   static_cast<std::uint32_t>(rect.right), static_cast<std::uint32_t>(rect.bottom)};
  return color::RotatedRect(in_picture, picture.width, picture.height, command.rotation);
}

BlitPlan::Span BlitPlan::SourceRowsOf(const RECT& rect) const {
  const color::BlitRect part = PartOf(rect);
  const auto from = static_cast<std::uint32_t>(command.from.bottom - command.from.top);
  const auto to = static_cast<std::uint32_t>(command.to.bottom - command.to.top);
  return {color::StretchedPosition(part.top, from, to), color::StretchedPosition(part.bottom - 1, from, to) + 1};
}

color::BlitRequest BlitPlan::RequestOf(const RECT& rect, const std::byte* from_pixels, std::byte* to_pixels) const {
  const color::BlitRect memory = MemoryOf(rect);
  color::BlitRequest request;
  request.source = from_pixels + static_cast<std::uint64_t>(command.from.top) * source.pitch +
                   static_cast<std::uint64_t>(command.from.left) * source_pixel_bytes();
  request.source_pitch = source.pitch;
  request.source_format = source.format;
  request.source_width = static_cast<std::uint32_t>(command.from.right - command.from.left);
  request.source_height = static_cast<std::uint32_t>(command.from.bottom - command.from.top);
  request.destination =
      to_pixels + std::uint64_t{memory.top} * destination.pitch + std::uint64_t{memory.left} * destination_pixel_bytes();
  request.destination_pitch = destination.pitch;
  request.destination_format = destination.format;
  request.destination_width = static_cast<std::uint32_t>(command.to.right - command.to.left);
  request.destination_height = static_cast<std::uint32_t>(command.to.bottom - command.to.top);
  request.part = PartOf(rect);
  request.rotation = command.rotation;
  request.transfer = command.transfer;
  request.key = command.key;
  request.key_pixel = command.pixel;
  request.dither = command.dither;
  return request;
}

PictureExtent PictureOf(std::uint32_t width, std::uint32_t height, color::Rotation rotation) {
  const bool turned = color::IsQuarterTurn(rotation);
  return turned ? PictureExtent{height, width} : PictureExtent{width, height};
}

void BlitByProcessor(const BlitPlan& plan, std::vector<std::byte>& room) {
  const BlitCommand& command = plan.command;
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const RECT& rect = command.rects[i];
    if (plan.fills()) {
      Fill(plan, rect);
      continue;
    }
    const std::byte* from = plan.source.rows.pixels;
    if (plan.same_surface) {
      // Saves the source rows, because the rectangle may overwrite them.
      const BlitPlan::Span span = plan.SourceRowsOf(rect);
      const std::uint64_t first = (static_cast<std::uint64_t>(command.from.top) + span.first) * plan.source.pitch;
      const std::uint64_t bytes = std::uint64_t{span.end - span.first} * plan.source.pitch;
      if (room.size() < bytes) room.resize(bytes);
      std::memcpy(room.data(), from + first, bytes);
      from = room.data() - first;
    }
    if (plan.destination.format == drivers::kPaletteFormat) {
      CopyIndexes(plan, rect, from);
    } else if (plan.source.format == drivers::kPaletteFormat) {
      ColorIndexes(plan, rect, room);
    } else {
      color::Blit(plan.RequestOf(rect, from, plan.destination.rows.pixels));
    }
  }
}

bool BlitFetchedRows(const BlitPlan& plan, std::vector<std::byte>& room,
                     const std::function<bool(std::uint32_t, std::uint32_t, std::byte*)>& fetch) {
  const BlitCommand& command = plan.command;
  const std::uint64_t pitch = plan.source.pitch;
  const std::uint64_t most = std::max<std::uint64_t>(1, kStripBytes / pitch);
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const LONG bottom = command.rects[i].bottom;
    for (RECT strip = command.rects[i]; strip.top < bottom; strip.top = strip.bottom) {
      // A row of the destination at least, and more while their source rows are few.
      strip.bottom = strip.top + 1;
      BlitPlan::Span span = plan.SourceRowsOf(strip);
      for (RECT next = strip; next.bottom < bottom;) {
        ++next.bottom;
        const BlitPlan::Span wider = plan.SourceRowsOf(next);
        if (wider.end - wider.first > most) break;
        strip.bottom = next.bottom;
        span = wider;
      }
      const std::uint32_t first = static_cast<std::uint32_t>(command.from.top) + span.first;
      const std::uint32_t count = span.end - span.first;
      if (room.size() < count * pitch) room.resize(count * pitch);
      if (!fetch(first, count, room.data())) return false;
      color::Blit(plan.RequestOf(strip, room.data() - first * pitch, plan.destination.rows.pixels));
    }
  }
  return true;
}

}  // namespace tandem::vulkan
