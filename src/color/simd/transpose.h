// Transposes and reverses rows, for the chosen instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color::simd {

enum class Writes : std::uint8_t { kCached, kPastCaches };

// Strides are bytes from row to row; negative ones turn a transposition into a rotation. Any alignment; no overlap.
struct TransposeGeometry {
  std::byte* destination = nullptr;
  std::int64_t destination_stride = 0;
  const std::byte* source = nullptr;
  std::int64_t source_stride = 0;
};

// destination[k][c] = source[c][k] for c < source_rows and k < source_columns, pixels of 4 or 8 bytes. kPastCaches applies if
// the destination's rows are aligned to cache lines; fenced before it returns.
void TransposePixels(const TransposeGeometry& geometry, std::uint32_t source_columns, std::uint32_t source_rows,
                     std::uint32_t pixel_bytes, Writes writes);

// destination[y][x] = source[y][width - 1 - x].
void ReversePixels(const TransposeGeometry& geometry, std::uint32_t width, std::uint32_t rows, std::uint32_t pixel_bytes,
                   Writes writes);

}  // namespace tandem::color::simd
