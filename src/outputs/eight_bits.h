// Conversion of a surface for an output with eight bits a channel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/dither.h"
#include "color/nv12.h"
#include "outputs/output.h"

namespace tandem::outputs {

// True if the pixels are B8G8R8A8 already, up to their alpha.
[[nodiscard]] inline bool IsBgra8(color::Format format) {
  return format == color::Format::kB8G8R8A8Unorm || format == color::Format::kB8G8R8A8UnormSrgb ||
         format == color::Format::kB8G8R8X8Unorm;
}

// True if ToBgra8 converts `format`.
[[nodiscard]] inline bool BecomesBgra8(color::Format format) {
  return color::ConvertsToBgra8(format) || (color::kHasYuv420 && format == color::kNv12);
}

// Converts `count` rows from row `first` to B8G8R8A8, with `pitch` bytes between rows. Half floats are linear. For NV12 `first`
// must be even, and alpha is absent.
inline void ToBgra8(std::byte* to, std::uint64_t pitch, const Surface& surface, std::uint32_t first, std::uint32_t count,
                    color::Alpha alpha) {
  if constexpr (color::kHasYuv420) {
    if (surface.format == color::kNv12) {
      const auto planes = color::Nv12Planes<const std::byte>(surface.pixels + std::size_t{surface.pitch} * first, surface.pitch,
                                                             color::Nv12ChromaDistance(surface.height, first));
      return color::DecodeYuv420({to, pitch, surface.width, count}, planes, {}, color::ChromaFilter::kNearest);
    }
  }
  const color::ConversionSource source{surface.pixels + std::size_t{surface.pitch} * first, surface.pitch, surface.width, count,
                                       surface.format};
  if (surface.dithers) {
    color::DitherToBgra8(to, pitch, source, color::Transfer::kLinearToSrgb, alpha, first);
  } else {
    color::ConvertToBgra8(to, pitch, source, color::Transfer::kLinearToSrgb, alpha);
  }
}

}  // namespace tandem::outputs
