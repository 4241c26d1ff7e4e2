// The colours of P8 indexes: one palette for each VidPn source (DxgkDdiSetPalette).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include <d3dkmddi.h>

namespace tandem::vulkan {

inline constexpr std::uint32_t kPaletteEntries = 256;

// Initially black. Thread-safe.
class Palette {
 public:
  // Sets entries from `first` on; first + entries.size() must be at most kPaletteEntries.
  void Set(std::uint32_t first, std::span<const D3DKMDT_PALETTEDATA> entries);
  // Converts rows of `width` indexes to rows of kShownPaletteFormat, opaque. Pitches in bytes.
  void Color(std::byte* pixels, std::uint64_t pixel_pitch, const std::byte* indexes, std::uint64_t index_pitch,
             std::uint64_t width, std::uint64_t rows) const;

 private:
  static constexpr std::uint32_t kOpaque = 0xFF000000;

  mutable std::mutex mutex_;
  std::array<std::uint32_t, kPaletteEntries> colors_{};  // without alpha
};

}  // namespace tandem::vulkan
