// Converts linear surfaces to B8G8R8A8 for windows and files.
//
// Rules, equal in model, reference and SIMD:
// - A channel of n bits becomes round(v * 255 / (2^n - 1)); 2-bit alpha becomes v * 85.
// - A half float is clamped to 0..1, NaN becomes 0, then round(v * 255) with halves to even.
// - Values count as display-encoded (sRGB) and pass through. Transfer::kLinearToSrgb applies the sRGB curve (IEC 61966-2-1) to
//   the colour channels of half floats, never to alpha. Integer formats always pass through.
// - Formats without alpha, and Alpha::kOpaque, give 255.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/format.h"

namespace tandem::color {

enum class Transfer : std::uint8_t { kPassThrough, kLinearToSrgb };
enum class Alpha : std::uint8_t { kKeep, kOpaque };

struct ConversionSource {
  const std::byte* pixels = nullptr;
  std::uint64_t pitch = 0;  // bytes from row to row
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  Format format = Format::kUnknown;
};

// True if ConvertToBgra8 accepts `format`: every one but kUnknown.
[[nodiscard]] bool ConvertsToBgra8(Format format);

// Fills width x height pixels of B8G8R8A8 at `destination`. Precondition: ConvertsToBgra8(). Any alignment; no overlap.
void ConvertToBgra8(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source, Transfer transfer,
                    Alpha alpha);

// The half float nearest to value / 255, for colour fills of A8R8G8B8 values.
[[nodiscard]] std::uint16_t Unorm8ToHalf(std::uint8_t value);

// Scalar reference; the fast form is tested against it.
void ConvertToBgra8Reference(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source,
                             Transfer transfer, Alpha alpha);

}  // namespace tandem::color
