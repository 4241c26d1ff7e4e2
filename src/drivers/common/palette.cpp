#include "drivers/common/palette.h"

#include <cstring>

namespace tandem::drivers {
namespace {

constexpr std::uint32_t kOpaqueBlack = 0xFF000000;

}  // namespace

void ColorIndexes(const PaletteColors& colors, std::byte* pixels, std::uint64_t pixel_pitch, const std::byte* indexes,
                  std::uint64_t index_pitch, std::uint64_t width, std::uint64_t rows) {
  for (std::uint64_t y = 0; y < rows; ++y) {
    for (std::uint64_t x = 0; x < width; ++x) {
      const std::uint32_t color = colors[std::to_integer<std::size_t>(indexes[y * index_pitch + x])];
      std::memcpy(pixels + y * pixel_pitch + x * sizeof(color), &color, sizeof(color));
    }
  }
}

NTSTATUS CheckPalette(const DXGKARG_SETPALETTE& args, std::uint32_t sources) {
  const bool inside = args.VidPnSourceId < sources && args.pLookupTable != nullptr && args.FirstEntry < kPaletteEntries &&
                      args.NumEntries <= kPaletteEntries - args.FirstEntry;
  return inside ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

SourcePalette::SourcePalette() {
  const MutexLock lock(mutex_);
  colors_.fill(kOpaqueBlack);
}

void SourcePalette::Set(const DXGKARG_SETPALETTE& args) {
  const MutexLock lock(mutex_);
  for (UINT i = 0; i < args.NumEntries; ++i) {
    const D3DKMDT_PALETTEDATA& entry = args.pLookupTable[i];
    colors_[args.FirstEntry + i] = kOpaqueBlack | static_cast<std::uint32_t>(entry.Red << 16 | entry.Green << 8 | entry.Blue);
  }
}

PaletteColors SourcePalette::colors() const {
  const MutexLock lock(mutex_);
  return colors_;
}

}  // namespace tandem::drivers
