// Conversion to eight bits a channel as in convert.h and blit.h, with an ordered dither in place of rounding: what eight bits
// cannot tell apart is told by how many pixels of an 8 x 8 pattern get the next value. Banding in skies and shadows of 10-bit and
// half-float pictures goes away.
//
// Rules: a colour channel's value times 255 is taken to the nearest 1/256 (halves upwards), the pattern's threshold, 4 b + 2 for
// its b of 0..63, is added, and what is left of the point is written. So values of 8 bits stay as they are, and the mean over the
// pattern is off by no more than 1/256. Alpha is not dithered. The pattern is fixed to the picture, so still pictures stay still.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "color/channels.h"
#include "color/convert.h"

namespace tandem::color {

// 0..63: where pixel (x, y) stands in the order of its pattern (Bayer, 1973).
[[nodiscard]] constexpr std::uint32_t DitherRank(std::uint32_t x, std::uint32_t y) {
  std::uint32_t rank = 0;
  for (std::uint32_t bit = 0; bit < 3; ++bit) {
    const std::uint32_t column = x >> bit & 1;
    const std::uint32_t row = y >> bit & 1;
    rank = rank << 2 | (column ^ row) << 1 | row;
  }
  return rank;
}

// Of a run of pixels in a row: entry i % 8 is for pixel i.
inline constexpr std::uint32_t kDitherExtent = 8;
using DitherThresholds = std::array<std::uint16_t, kDitherExtent>;
// Of the run that begins with pixel (x, y).
[[nodiscard]] constexpr DitherThresholds DitherThresholdsAt(std::uint32_t x, std::uint32_t y) {
  DitherThresholds thresholds{};
  for (std::uint32_t i = 0; i < kDitherExtent; ++i) thresholds[i] = static_cast<std::uint16_t>(4 * DitherRank(x + i, y) + 2);
  return thresholds;
}

// Whether there is something to dither between the two: colours of more than eight bits that become eight.
[[nodiscard]] bool Dithers(Format source, Format destination);

// Converts one pixel between two formats that Dithers() names; tables once for each copy.
class PixelDitherer {
 public:
  PixelDitherer(Format from, Format to, Transfer transfer);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t pixel, std::uint32_t threshold) const {
    return convert_.Convert(pixel, [&](std::uint16_t code) { return (colors_[code] + threshold) >> 8; });
  }

 private:
  PixelConverter convert_;
  const std::uint16_t* colors_;  // values times 255 in 1/256, 0..65280, for each code of a channel
};

// Fills width x height pixels of B8G8R8A8 at `destination`; `first_row` is the picture's row that the source begins with. Formats
// of eight bits a channel are converted as ConvertToBgra8 does. Any alignment; no overlap.
void DitherToBgra8(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source, Transfer transfer,
                   Alpha alpha, std::uint32_t first_row);
// The scalar form: equal to the fast one in every bit.
void DitherToBgra8Reference(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source,
                            Transfer transfer, Alpha alpha, std::uint32_t first_row);

}  // namespace tandem::color
