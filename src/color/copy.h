// Copies of linear surfaces: the one loop that the soft engine and the outputs share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color {

// Blocks of at least this many bytes are written past the caches: the destination is read by someone else later (a display, an
// encoder), and a cached write would first read the lines that it is about to overwrite. Measured by color_copy_bench.
inline constexpr std::uint64_t kStreamingThresholdBytes = 1ULL << 20;

// Copies `rows` rows of `row_bytes` bytes; pitches are bytes from row to row, each at least row_bytes. The surfaces must not
// overlap. Any alignment, any size; 0 rows or 0 bytes copy nothing. When it returns every thread sees the destination, with the
// usual acquire and release between them.
void CopyRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
              std::uint64_t row_bytes, std::uint64_t rows);

// The same for one run of bytes.
void CopyBytes(std::byte* destination, const std::byte* source, std::uint64_t bytes);

}  // namespace tandem::color
