// The pointer of a QXL device: a shape over the primary surface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bus/qxl/qxl_memory.h"
#include "color/blit.h"

namespace tandem::bus {

// Threads: one at a time.
class QxlPointer {
 public:
  // kUnsupported for shapes of other types, kInvalidArgument for one of more than 256 x 256 pixels or outside of the memory.
  Result<void> Execute(const QxlMemory& memory, const QXLCursorCmd& command);
  void Reset() { *this = QxlPointer(); }

  [[nodiscard]] bool Covers(const color::BlitRect& part) const;
  // Draws over a picture of that part, of four bytes a pixel.
  void DrawOver(const color::BlitRect& part, std::byte* pixels, std::uint64_t pitch) const;

 private:
  enum class Kind : std::uint8_t { kAlpha, kMonochrome };

  Result<void> SetShape(const QxlMemory& memory, QXLPHYSICAL address);
  [[nodiscard]] bool Bit(std::size_t row, std::size_t column) const;
  void DrawPixel(std::size_t x, std::size_t y, std::byte* under) const;

  Kind kind_ = Kind::kAlpha;
  bool visible_ = false;
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::int64_t hot_x_ = 0, hot_y_ = 0;
  std::int64_t x_ = 0, y_ = 0;    // of the hot spot
  std::vector<std::byte> shape_;  // four bytes a pixel, or a mask of AND and one of XOR with whole bytes a row
};

}  // namespace tandem::bus
