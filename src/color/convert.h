// Conversion of linear surfaces to B8G8R8A8, which is what windows and files take.
//
// Rules, the same in model, reference and SIMD:
// - a channel of n bits becomes round(v * 255 / (2^n - 1)); 2-bit alpha becomes v * 85
// - a half float is clamped to 0..1, NaN becomes 0, then round(v * 255) with halves to even
// - values are taken as already encoded for display (sRGB) and pass through; Transfer::kLinearToSrgb asks for the sRGB curve
//   (IEC 61966-2-1) on the colour channels of half floats, never on alpha; integer formats always pass through
// - formats without alpha, and Alpha::kOpaque, answer 255 for it
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

// Whether ConvertToBgra8 takes it: every format but kUnknown.
[[nodiscard]] bool ConvertsToBgra8(Format format);

// Fills width x height pixels of B8G8R8A8 at `destination`. The source's format must convert. Any alignment; no overlap.
void ConvertToBgra8(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source, Transfer transfer,
                    Alpha alpha);

// The half float nearest to value / 255: what a colour fill of an A8R8G8B8 value writes.
[[nodiscard]] std::uint16_t Unorm8ToHalf(std::uint8_t value);

// The scalar form that the fast one is tested against.
void ConvertToBgra8Reference(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source,
                             Transfer transfer, Alpha alpha);

}  // namespace tandem::color
