// Fills of linear surfaces with one pixel.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color {

// Writes the low `pixel_bytes` (4 or 8) bytes of `pixel` to `width` pixels in each of `rows` rows; the pitch is in bytes. Any
// alignment, any size. Large fills go past the caches, like copies (copy.h). After the return every thread sees the
// destination, with the usual acquire and release between them.
void FillRows(std::byte* destination, std::uint64_t destination_pitch, std::uint64_t pixel, std::uint32_t pixel_bytes,
              std::uint64_t width, std::uint64_t rows);

}  // namespace tandem::color
