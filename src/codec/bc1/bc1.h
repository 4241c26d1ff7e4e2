// BC1 blocks, as display adapters sample them (Direct3D 11.3 functional specification, 19.5.6): 4 x 4 pixels in 8 bytes, two
// colours of 5, 6 and 5 bits and for each pixel two bits of where it lies between them. Eight times smaller than the frame,
// always; the encoding of last resort.
//
// Rules, the same in reference and SIMD: colours grow to 8 bits by repeating their high bits; those between are (2 a + b + 1) / 3
// and (a + b + 1) / 2, rounded down. Encoding takes the corners of the box around the colours, a sixteenth further in, along the
// diagonal that goes with the channel of the greatest range; a block of one colour is a third of the way between the two codes
// that come nearest to it. Alpha is not carried: decoding writes 255.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/yuv.h"

namespace tandem::codec {

inline constexpr std::uint32_t kBlockExtent = 4;
inline constexpr std::uint32_t kBlockBytes = 8;

[[nodiscard]] constexpr std::uint32_t BlocksAcross(std::uint32_t extent) { return (extent + kBlockExtent - 1) / kBlockExtent; }

// Of one row of blocks, and of a picture whose rows of blocks follow each other.
[[nodiscard]] constexpr std::uint64_t Bc1RowBytes(std::uint32_t width) {
  return std::uint64_t{kBlockBytes} * BlocksAcross(width);
}
[[nodiscard]] constexpr std::uint64_t Bc1Bytes(std::uint32_t width, std::uint32_t height) {
  return Bc1RowBytes(width) * BlocksAcross(height);
}

// Any width and height from 1 on, any alignment; rows of blocks are `block_pitch` bytes apart. Blocks at the edges repeat the
// last pixels.
void EncodeBc1(std::byte* blocks, std::uint64_t block_pitch, const color::Bgra8<const std::byte>& from);
// Whatever the blocks are, they mean something.
void DecodeBc1(const color::Bgra8<std::byte>& to, const std::byte* blocks, std::uint64_t block_pitch);

// The scalar forms: equal to the fast ones in every bit.
void EncodeBc1Reference(std::byte* blocks, std::uint64_t block_pitch, const color::Bgra8<const std::byte>& from);
void DecodeBc1Reference(const color::Bgra8<std::byte>& to, const std::byte* blocks, std::uint64_t block_pitch);

}  // namespace tandem::codec
