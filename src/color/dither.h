// Converts to eight bits a channel as convert.h and blit.h do, but with an ordered dither instead of rounding. The share of
// pixels in an 8 x 8 pattern that get the next value shows levels between eight-bit values. Banding in skies and shadows of
// 10-bit and half-float pictures disappears.
//
// Rules: a colour channel's value times 255 is rounded to 1/256 (halves upwards). The pattern's threshold, 4 b + 2 for its b of
// 0..63, is added, and the fraction is cut off. Values of 8 bits thus stay, and the pattern's mean is off by at most 1/256.
// Alpha is not dithered. The pattern is fixed to the picture, so still pictures stay still.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "color/channels.h"
#include "color/convert.h"

namespace tandem::color {

// 0..63: rank of pixel (x, y) in the pattern (Bayer, 1973).
[[nodiscard]] constexpr std::uint32_t DitherRank(std::uint32_t x, std::uint32_t y) {
  std::uint32_t rank = 0;
  for (std::uint32_t bit = 0; bit < 3; ++bit) {
    const std::uint32_t column = x >> bit & 1;
    const std::uint32_t row = y >> bit & 1;
    rank = rank << 2 | (column ^ row) << 1 | row;
  }
  return rank;
}

// Thresholds for a run of pixels in a row: entry i % 8 is for pixel i.
inline constexpr std::uint32_t kDitherExtent = 8;
using DitherThresholds = std::array<std::uint16_t, kDitherExtent>;
// Thresholds for the run that begins with pixel (x, y).
[[nodiscard]] constexpr DitherThresholds DitherThresholdsAt(std::uint32_t x, std::uint32_t y) {
  DitherThresholds thresholds{};
  for (std::uint32_t i = 0; i < kDitherExtent; ++i) thresholds[i] = static_cast<std::uint16_t>(4 * DitherRank(x + i, y) + 2);
  return thresholds;
}

// True if dithering applies: colours of more than eight bits become eight.
[[nodiscard]] bool Dithers(Format source, Format destination);

// Values times 255 in 1/256, 0..65280, for each code of a channel of more than eight bits. Static storage.
[[nodiscard]] const std::uint16_t* DitherTable(ChannelCode code, Transfer transfer);

// Converts one pixel between two formats that satisfy Dithers(); finds the tables once for each copy.
class PixelDitherer {
 public:
  PixelDitherer(Format from, Format to, Transfer transfer);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t pixel, std::uint32_t threshold) const {
    return convert_.Convert(pixel, [&](std::uint16_t code) { return (colors_[code] + threshold) >> 8; });
  }

 private:
  PixelConverter convert_;
  const std::uint16_t* colors_;  // DitherTable()
};

// Fills width x height pixels of B8G8R8A8 at `destination`. `first_row`: the source's first row in the picture. Formats of
// eight bits a channel are converted as ConvertToBgra8 does. Any alignment; no overlap.
void DitherToBgra8(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source, Transfer transfer,
                   Alpha alpha, std::uint32_t first_row);
// Scalar reference; the fast form equals it in every bit.
void DitherToBgra8Reference(std::byte* destination, std::uint64_t destination_pitch, const ConversionSource& source,
                            Transfer transfer, Alpha alpha, std::uint32_t first_row);

}  // namespace tandem::color
