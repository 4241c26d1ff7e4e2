// Pixel formats by their two names: DXGI's (color::Format) and the contract's.
#pragma once

#include <cstdint>

#include "color/nv12.h"

#include <d3dukmdt.h>

namespace tandem::drivers {

// Indexes of a palette, one byte a pixel (DXGI_FORMAT_P8, D3DDDIFMT_P8): colours on the screen alone, so color/ does not know
// the format.
inline constexpr color::Format kPaletteFormat{113};
// The format of a palette's entries, and of indexes that became colours.
inline constexpr color::Format kPaletteColors = color::Format::kB8G8R8A8Unorm;

// 4:2:0 as color/nv12.h has it: BT.709, full range. A build without 4:2:0 knows no such surface.
[[nodiscard]] constexpr bool IsNv12(color::Format format) { return color::kHasYuv420 && format == color::kNv12; }
// 0 for a format without pixels that stand one after the other.
[[nodiscard]] inline std::uint32_t PixelBytes(color::Format format) {
  return format == kPaletteFormat ? 1 : color::BytesPerPixel(format);
}

// sRGB and linear formats share one name. D3DDDIFMT_UNKNOWN for a format that the contract does not name.
[[nodiscard]] D3DDDIFORMAT ToD3dddiFormat(color::Format format);
// kUnknown for a format that does not cross adapters.
[[nodiscard]] color::Format ToColorFormat(D3DDDIFORMAT format);

}  // namespace tandem::drivers
