// Copies linear surfaces, for the soft engine and the outputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color {

// Blocks of at least this many bytes are written past the caches. Another reader uses the destination later (a display, an
// encoder), and cached writes would first read the lines. From 512 KiB on this was faster on a Sapphire Rapids server
// (copy_bench); smaller destinations may still be in a cache that the reader shares. AMD processors with fast strings copy by
// these at every size.
inline constexpr std::uint64_t kStreamingThresholdBytes = 512ULL << 10;

// Copies `rows` rows of `row_bytes` bytes. Pitches are bytes from row to row, each at least row_bytes. The surfaces must not
// overlap. Any alignment, any size; 0 rows or 0 bytes copy nothing. After the return every thread sees the destination, with
// the usual acquire and release between them.
void CopyRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
              std::uint64_t row_bytes, std::uint64_t rows);

// Copies one run of bytes by the same rules.
void CopyBytes(std::byte* destination, const std::byte* source, std::uint64_t bytes);

}  // namespace tandem::color
