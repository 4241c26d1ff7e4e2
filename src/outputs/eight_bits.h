// What an output with eight bits a channel shows of a surface.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/dither.h"
#include "outputs/output.h"

namespace tandem::outputs {

// `count` rows of the surface from `first` on as B8G8R8A8, rows `pitch` bytes apart; half floats are linear.
inline void ToBgra8(std::byte* to, std::uint64_t pitch, const Surface& surface, std::uint32_t first, std::uint32_t count,
                    color::Alpha alpha) {
  const color::ConversionSource source{surface.pixels + std::size_t{surface.pitch} * first, surface.pitch, surface.width, count,
                                       surface.format};
  if (surface.dithers) {
    color::DitherToBgra8(to, pitch, source, color::Transfer::kLinearToSrgb, alpha, first);
  } else {
    color::ConvertToBgra8(to, pitch, source, color::Transfer::kLinearToSrgb, alpha);
  }
}

}  // namespace tandem::outputs
