#include "color/copy.h"

#include <cstring>

#include "color/simd/stream_rows.h"

namespace tandem::color {

void CopyRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
              std::uint64_t row_bytes, std::uint64_t rows) {
  if (rows == 0 || row_bytes == 0) return;
  if (destination_pitch == row_bytes && source_pitch == row_bytes) {
    row_bytes *= rows;
    rows = 1;
  }
  if (row_bytes * rows >= kStreamingThresholdBytes) {
    simd::StreamRows(destination, destination_pitch, source, source_pitch, row_bytes, rows);
    return;
  }
  for (std::uint64_t row = 0; row < rows; ++row) {
    std::memcpy(destination + row * destination_pitch, source + row * source_pitch, row_bytes);
  }
}

void CopyBytes(std::byte* destination, const std::byte* source, std::uint64_t bytes) {
  CopyRows(destination, bytes, source, bytes, bytes, 1);
}

}  // namespace tandem::color
