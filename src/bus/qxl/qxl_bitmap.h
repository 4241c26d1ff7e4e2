// A bitmap that a QXL command draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bus/qxl/qxl_memory.h"
#include "bus/qxl/qxl_pieces.h"

namespace tandem::bus {

// Rows of four bytes a pixel without gaps between them. The driver may change them while they are read.
class QxlBitmap {
 public:
  // kUnsupported for what is no bitmap of four bytes a pixel; kInvalidArgument for one of more than kMaxSurfaceExtent, or outside
  // of its slot.
  static Result<QxlBitmap> Find(const QxlMemory& memory, QXLPHYSICAL address);

  [[nodiscard]] std::uint32_t width() const { return width_; }    // pixels
  [[nodiscard]] std::uint32_t height() const { return height_; }  // pixels

  // Calls `row(y, pixels)` for each row, in the order of memory. `gathered` is memory for one of them. QxlPieces' errors.
  template <class Row>
  Result<void> ForEachRow(std::vector<std::byte>& gathered, Row row) {
    for (std::uint32_t i = 0; i < height_; ++i) {
      const auto pixels = pieces_.Take(std::size_t{width_} * 4, gathered);
      if (!pixels.ok()) return pixels.error();
      row(top_down_ ? i : height_ - 1 - i, *pixels);
    }
    return {};
  }

 private:
  QxlBitmap(std::uint32_t width, std::uint32_t height, bool top_down, const QxlPieces& pieces)
      : width_(width), height_(height), top_down_(top_down), pieces_(pieces) {}

  std::uint32_t width_;
  std::uint32_t height_;
  bool top_down_;
  QxlPieces pieces_;
};

}  // namespace tandem::bus
