// Copies of linear surfaces: the one loop that the soft engine and the outputs share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color {

// Blocks of at least this many bytes are written past the caches: the destination is read by someone else later (a display, an
// encoder), and a cached write would first read the lines that it is about to overwrite. From 512 KiB on it was the faster way on
// a Sapphire Rapids server (copy_bench); below, the destination may still be in a cache that its reader shares. AMD's processors
// with fast strings copy by these instead, whatever the size.
inline constexpr std::uint64_t kStreamingThresholdBytes = 512ULL << 10;

// Copies `rows` rows of `row_bytes` bytes; pitches are bytes from row to row, each at least row_bytes. The surfaces must not
// overlap. Any alignment, any size; 0 rows or 0 bytes copy nothing. When it returns every thread sees the destination, with the
// usual acquire and release between them.
void CopyRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
              std::uint64_t row_bytes, std::uint64_t rows);

// The same for one run of bytes.
void CopyBytes(std::byte* destination, const std::byte* source, std::uint64_t bytes);

}  // namespace tandem::color
