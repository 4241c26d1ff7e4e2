// A blit in numbers: where its two sides are, and where each rectangle stands in memory. What the processor and the shader share.
#pragma once

#include <cstdint>

#include "color/blit.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/palette.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// One side of a blit. The rows of an image or a primary are its scratch.
struct BlitSide {
  Rows rows;
  color::Format format = color::Format::kUnknown;
  std::uint32_t pitch = 0;  // bytes
  std::uint32_t width = 0;  // pixels, as in memory
  std::uint32_t height = 0;
};

struct BlitPlan {
  const BlitCommand& command;
  BlitSide source;  // of a fill: nothing
  BlitSide destination;
  bool same_surface = false;         // source and destination are the same rows
  const Palette* palette = nullptr;  // of a source of indexes that becomes colours

  [[nodiscard]] bool fills() const { return command.source == nullptr; }
  [[nodiscard]] std::uint32_t source_pixel_bytes() const { return PixelBytes(source.format); }
  [[nodiscard]] std::uint32_t destination_pixel_bytes() const { return PixelBytes(destination.format); }
  // Of a palette, on either side: bytes that no shader and no conversion of colours knows.
  [[nodiscard]] bool has_indexes() const { return source.format == kPaletteFormat || destination.format == kPaletteFormat; }
  // The rectangle in `to`.
  [[nodiscard]] color::BlitRect PartOf(const RECT& rect) const;
  // And in memory.
  [[nodiscard]] color::BlitRect MemoryOf(const RECT& rect) const;
  // Rows of the source, from the first row of `from` on, that a rectangle takes pixels from; half open.
  struct Span {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  [[nodiscard]] Span SourceRowsOf(const RECT& rect) const;
  // What writes the rectangle: source and destination pointers are those of the given rows.
  [[nodiscard]] color::BlitRequest RequestOf(const RECT& rect, const std::byte* from_pixels, std::byte* to_pixels) const;
};

// The pixels of the picture that a surface of width x height shows when it is rotated.
struct PictureExtent {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
[[nodiscard]] PictureExtent PictureOf(std::uint32_t width, std::uint32_t height, color::Rotation rotation);

// By the processor, rectangle by rectangle. `room` is grown for copies within one surface and kept by the caller.
void BlitByProcessor(const BlitPlan& plan, std::vector<std::byte>& room);

}  // namespace tandem::vulkan
