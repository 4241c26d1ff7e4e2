// Converts one row to B8G8R8A8, for the chosen instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/dither.h"
#include "color/format.h"

namespace tandem::color::simd {

// Writes `width` pixels by the rules of color/convert.h; values pass through. `opaque` is or-ed into each pixel: 0xFF000000 for
// an alpha of 255, 0 to keep the source's. Any alignment; no overlap.
using RowFunction = void (*)(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque);

// Null for kUnknown.
[[nodiscard]] RowFunction RowFunctionFor(Format format);

// Converts R10G10B10A2 by the rules of color/dither.h; otherwise like a RowFunction.
void DitherRgb10Row(std::byte* destination, const std::byte* source, std::uint32_t width, std::uint32_t opaque,
                    const DitherThresholds& thresholds);

}  // namespace tandem::color::simd
