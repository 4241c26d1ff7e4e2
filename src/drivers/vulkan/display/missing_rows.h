// The rows of a window's image that no copy has filled yet. Allocates nothing.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "base/limits.h"

#include <d3dkmddi.h>

namespace tandem::vulkan {

class MissingRows {
 public:
  // Starts an image of `width` x `height` pixels, each 1..kMaxSurfaceExtent, with all rows missing.
  void Begin(std::uint32_t width, std::uint32_t height) {
    width_ = width;
    height_ = height;
    rows_.reset();
    for (std::uint32_t row = 0; row < height; ++row) rows_.set(row);
  }
  void Clear() { rows_.reset(); }
  // Notes a copied rectangle. Rows that it covers only in part stay missing.
  void Bring(const RECT& rect) {
    if (rect.left > 0 || rect.right < static_cast<LONG>(width_)) return;
    const auto end = static_cast<std::size_t>(std::clamp<LONG>(rect.bottom, 0, static_cast<LONG>(height_)));
    for (auto row = static_cast<std::size_t>(std::max<LONG>(rect.top, 0)); row < end; ++row) rows_.reset(row);
  }
  [[nodiscard]] bool any() const { return rows_.any(); }

  // Calls `use` with rectangles of whole missing rows, from top to bottom.
  template <class Use>
  void ForEachRun(Use&& use) const {
    for (std::uint32_t top = 0; top < height_; ++top) {
      if (!rows_.test(top)) continue;
      std::uint32_t bottom = top;
      while (bottom < height_ && rows_.test(bottom)) ++bottom;
      use(RECT{0, static_cast<LONG>(top), static_cast<LONG>(width_), static_cast<LONG>(bottom)});
      top = bottom;
    }
  }

 private:
  std::bitset<kMaxSurfaceExtent> rows_;
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
};

}  // namespace tandem::vulkan
