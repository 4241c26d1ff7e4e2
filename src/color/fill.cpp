#include "color/fill.h"

#include <cstring>

#include "color/copy.h"
#include "color/simd/stream_rows.h"

namespace tandem::color {
namespace {

void FillRun(std::byte* destination, std::uint64_t pixel, std::uint32_t pixel_bytes, std::uint64_t width) {
  if (pixel_bytes == 4) {
    const auto narrow = static_cast<std::uint32_t>(pixel);
    for (std::uint64_t x = 0; x < width; ++x) std::memcpy(destination + x * sizeof(narrow), &narrow, sizeof(narrow));
  } else {
    for (std::uint64_t x = 0; x < width; ++x) std::memcpy(destination + x * sizeof(pixel), &pixel, sizeof(pixel));
  }
}

}  // namespace

void FillRows(std::byte* destination, std::uint64_t destination_pitch, std::uint64_t pixel, std::uint32_t pixel_bytes,
              std::uint64_t width, std::uint64_t rows) {
  if (pixel_bytes == 4) pixel = (pixel & 0xFFFFFFFF) | pixel << 32;
  if (width * pixel_bytes * rows >= kStreamingThresholdBytes) {
    simd::StreamFillRows(destination, destination_pitch, pixel, pixel_bytes, width, rows);
    return;
  }
  for (std::uint64_t row = 0; row < rows; ++row) FillRun(destination + row * destination_pitch, pixel, pixel_bytes, width);
}

}  // namespace tandem::color
