// A blit as numbers: the location of its two sides, and each rectangle's position in memory. Processor and shader share it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "color/blit.h"
#include "drivers/common/palette.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// One side of a blit. For an image or a primary, `rows` is its scratch memory.
struct BlitSide {
  Rows rows;
  color::Format format = color::Format::kUnknown;
  std::uint32_t pitch = 0;  // bytes
  std::uint32_t width = 0;  // pixels, in memory orientation
  std::uint32_t height = 0;

  [[nodiscard]] color::BlitRect whole() const { return {0, 0, width, height}; }
};

struct BlitPlan {
  const BlitCommand& command;
  BlitSide source;  // unused for a fill
  BlitSide destination;
  bool same_surface = false;                        // source and destination share their rows
  const drivers::SourcePalette* palette = nullptr;  // for a source of indexes that becomes colours

  [[nodiscard]] bool fills() const { return command.source == nullptr; }
  [[nodiscard]] std::uint32_t source_pixel_bytes() const { return drivers::PixelBytes(source.format); }
  [[nodiscard]] std::uint32_t destination_pixel_bytes() const { return drivers::PixelBytes(destination.format); }
  // True if either side has palette indexes, which shaders and colour conversions do not support.
  [[nodiscard]] bool has_indexes() const {
    return source.format == drivers::kPaletteFormat || destination.format == drivers::kPaletteFormat;
  }
  // The rectangle within `to`.
  [[nodiscard]] color::BlitRect PartOf(const RECT& rect) const;
  // The rectangle in memory.
  [[nodiscard]] color::BlitRect MemoryOf(const RECT& rect) const;
  // The source rows that a rectangle reads, counted from the first row of `from`; half open.
  struct Span {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  [[nodiscard]] Span SourceRowsOf(const RECT& rect) const;
  // The request that writes the rectangle. `from_pixels` and `to_pixels` replace the sides' row pointers.
  [[nodiscard]] color::BlitRequest RequestOf(const RECT& rect, const std::byte* from_pixels, std::byte* to_pixels) const;
};

// The extent of the picture that a surface of width x height shows when it is rotated.
struct PictureExtent {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
[[nodiscard]] PictureExtent PictureOf(std::uint32_t width, std::uint32_t height, color::Rotation rotation);

// Blits on the processor, rectangle by rectangle. `room` grows for copies within one surface; the caller keeps it.
void BlitByProcessor(const BlitPlan& plan, std::vector<std::byte>& room);

// A conversion of a source whose rows have to be fetched: a few at a time, so that they stay in the processor's cache between
// `fetch(first, count, rows)` and the conversion. `rows` have the source's pitch. Ends early where `fetch` answers false; false
// then. Precondition: neither side has palette indexes, and the surfaces are two.
[[nodiscard]] bool BlitFetchedRows(const BlitPlan& plan, std::vector<std::byte>& room,
                                   const std::function<bool(std::uint32_t, std::uint32_t, std::byte*)>& fetch);

}  // namespace tandem::vulkan
