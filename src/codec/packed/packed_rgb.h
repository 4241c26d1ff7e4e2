// Pixels without their fourth channel: three bytes of a B8G8R8X8 one, 30 bits of an R10G10B10A2 one. Lossless but for that
// channel, which comes back as opaque.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::codec {

enum class PackedRgb : std::uint8_t {
  k24,  // four pixels in 12 bytes, each its lowest three
  k30,  // four pixels in 15 bytes, each its lowest 30 bits after those of the one before
};

// Of a row; it ends after whole groups of four pixels.
[[nodiscard]] constexpr std::uint64_t PackedRowBytes(PackedRgb packing, std::uint32_t width) {
  return (std::uint64_t{width} + 3) / 4 * (packing == PackedRgb::k24 ? 12 : 15);
}

// width x height pixels of four bytes, rows `pitch` bytes apart, and packed rows `packed_pitch` apart. Any alignment.
void PackRgb(PackedRgb packing, std::byte* packed, std::uint64_t packed_pitch, const std::byte* pixels, std::uint64_t pitch,
             std::uint32_t width, std::uint32_t height);
void UnpackRgb(PackedRgb packing, std::byte* pixels, std::uint64_t pitch, const std::byte* packed, std::uint64_t packed_pitch,
               std::uint32_t width, std::uint32_t height);

}  // namespace tandem::codec
