// Copies past the caches, for the instruction set that is here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color::simd {

// As CopyRows, whatever the size: writes that leave no destination line in a cache, fenced before it returns.
void StreamRows(std::byte* destination, std::uint64_t destination_pitch, const std::byte* source, std::uint64_t source_pitch,
                std::uint64_t row_bytes, std::uint64_t rows);

// As FillRows with `pixel` repeated to 8 bytes, whatever the size; fenced.
void StreamFillRows(std::byte* destination, std::uint64_t destination_pitch, std::uint64_t pixel, std::uint32_t pixel_bytes,
                    std::uint64_t width, std::uint64_t rows);

}  // namespace tandem::color::simd
