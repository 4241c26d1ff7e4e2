#include "drivers/vulkan/gpu/palette.h"

#include <cstring>

namespace tandem::vulkan {

void Palette::Set(std::uint32_t first, std::span<const D3DKMDT_PALETTEDATA> entries) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const D3DKMDT_PALETTEDATA& entry : entries) {
    colors_[first++] = static_cast<std::uint32_t>(entry.Red << 16 | entry.Green << 8 | entry.Blue);
  }
}

void Palette::Color(std::byte* pixels, std::uint64_t pixel_pitch, const std::byte* indexes, std::uint64_t index_pitch,
                    std::uint64_t width, std::uint64_t rows) const {
  std::array<std::uint32_t, kPaletteEntries> colors{};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    colors = colors_;
  }
  for (std::uint64_t y = 0; y < rows; ++y) {
    for (std::uint64_t x = 0; x < width; ++x) {
      const std::uint32_t color = colors[std::to_integer<std::size_t>(indexes[y * index_pitch + x])] | kOpaque;
      std::memcpy(pixels + y * pixel_pitch + x * sizeof(color), &color, sizeof(color));
    }
  }
}

}  // namespace tandem::vulkan
