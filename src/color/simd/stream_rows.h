// Copies past the caches, for the chosen instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color::simd {

// CopyRows for every size: leaves no destination line in a cache; fenced before it returns.
void StreamRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
                std::uint64_t row_bytes, std::uint64_t rows);

// FillRows for every size, with `pixel` repeated to 8 bytes; fenced.
void StreamFillRows(std::byte* destination, std::uint64_t destination_pitch, std::uint64_t pixel, std::uint32_t pixel_bytes,
                    std::uint64_t width, std::uint64_t rows);

}  // namespace tandem::color::simd
