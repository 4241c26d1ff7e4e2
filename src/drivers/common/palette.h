// The colours of a P8 surface's indexes: one palette for each VidPn source (DxgkDdiSetPalette).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/thread.h"

#include <d3dkmddi.h>

namespace tandem::drivers {

inline constexpr std::uint32_t kPaletteEntries = 256;
// Opaque pixels of kPaletteColors.
using PaletteColors = std::array<std::uint32_t, kPaletteEntries>;

// Rows of `width` indexes become rows of pixels. Pitches in bytes.
void ColorIndexes(const PaletteColors& colors, std::byte* pixels, std::uint64_t pixel_pitch, const std::byte* indexes,
                  std::uint64_t index_pitch, std::uint64_t width, std::uint64_t rows);

// STATUS_INVALID_PARAMETER for a source that does not exist, and for entries beyond kPaletteEntries.
[[nodiscard]] NTSTATUS CheckPalette(const DXGKARG_SETPALETTE& args, std::uint32_t sources);

// Black at first. Threads: any.
class SourcePalette {
 public:
  SourcePalette();
  // Precondition: CheckPalette() passed.
  void Set(const DXGKARG_SETPALETTE& args);
  [[nodiscard]] PaletteColors colors() const;

 private:
  mutable Mutex mutex_;
  PaletteColors colors_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::drivers
