// The primary surface of a QXL device: what its monitor shows, and the commands that draw on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "bus/qxl/qxl_memory.h"
#include "color/blit.h"
#include "outputs/output.h"

namespace tandem::bus {

// Four bytes a pixel, the upper row first. Threads: one at a time.
class QxlSurface {
 public:
  explicit QxlSurface(const QxlMemory& memory) : memory_(memory) {}

  // Makes the surface that the RAM's header describes. kUnsupported for other formats, kInvalidArgument for more than
  // kMaxSurfaceExtent and for memory outside of a slot.
  Result<void> Create();
  void Destroy() { pixels_ = nullptr; }
  [[nodiscard]] bool exists() const { return pixels_ != nullptr; }
  [[nodiscard]] bool Has(const color::BlitRect& part) const { return exists() && part.right <= width_ && part.bottom <= height_; }

  // Solid fills, copies of bitmaps at their size, and copies within the surface. kUnsupported for other drawing, kInvalidArgument
  // for what lies outside.
  Result<void> Draw(const QXLDrawable& drawable);
  // Has(part).
  [[nodiscard]] outputs::Surface PartOf(const color::BlitRect& part) const;
  // Bytes that draws wrote.
  [[nodiscard]] std::uint64_t drawn_bytes() const { return drawn_bytes_; }

 private:
  [[nodiscard]] std::byte* At(std::uint32_t x, std::uint32_t y) const {
    return pixels_ + std::size_t{y} * pitch_ + std::size_t{x} * 4;
  }
  // The rectangle on the surface; kInvalidArgument for one that is empty or not all on it.
  [[nodiscard]] Result<color::BlitRect> OnSurface(const QXLRect& rect) const;
  // Finds the parts of the box that the drawable's clip lets through.
  Result<void> Clip(const QXLDrawable& drawable, const color::BlitRect& box);
  // Draw in these parts.
  Result<void> Fill(const QXLFill& fill);
  Result<void> Copy(const QXLCopy& copy, const color::BlitRect& box);
  Result<void> CopyWithin(const QXLCopyBits& copy, const color::BlitRect& box);

  const QxlMemory& memory_;
  std::byte* pixels_ = nullptr;  // null: there is no surface
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::uint32_t pitch_ = 0;             // bytes
  std::vector<color::BlitRect> parts_;  // of the command that is drawn
  std::vector<std::byte> row_;          // memory for a row of a bitmap
  std::uint64_t drawn_bytes_ = 0;
};

}  // namespace tandem::bus
