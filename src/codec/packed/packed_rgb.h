// Pixels without their fourth channel: three bytes of B8G8R8X8, 30 bits of R10G10B10A2. Lossless except for that channel, which
// comes back opaque.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::codec {

enum class PackedRgb : std::uint8_t {
  k24,  // four pixels in 12 bytes: the lowest three of each
  k30,  // four pixels in 15 bytes: the lowest 30 bits of each, without gaps
};

// Bytes of a row, which ends after whole groups of four pixels.
[[nodiscard]] constexpr std::uint64_t PackedRowBytes(PackedRgb packing, std::uint32_t width) {
  return (std::uint64_t{width} + 3) / 4 * (packing == PackedRgb::k24 ? 12 : 15);
}

// `pixels`: width x height pixels of four bytes, rows `pitch` bytes apart. Packed rows are `packed_pitch` apart. Any alignment.
void PackRgb(PackedRgb packing, std::byte* packed, std::uint64_t packed_pitch, const std::byte* pixels, std::uint64_t pitch,
             std::uint32_t width, std::uint32_t height);
void UnpackRgb(PackedRgb packing, std::byte* pixels, std::uint64_t pitch, const std::byte* packed, std::uint64_t packed_pitch,
               std::uint32_t width, std::uint32_t height);

}  // namespace tandem::codec
