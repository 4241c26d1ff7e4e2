// BC1 blocks as display adapters sample them (Direct3D 11.3 functional specification, 19.5.6). A block is 4 x 4 pixels in 8
// bytes: two colours of 5, 6 and 5 bits, and two bits for each pixel that place it between them. BC1 is always eight times
// smaller than the frame and the encoding of last resort.
//
// Rules, equal in reference and SIMD:
// - Colours grow to 8 bits by repeating their high bits. Colours between are (2 a + b + 1) / 3 and (a + b + 1) / 2, rounded
//   down.
// - Encoding takes two corners of the box around the colours, moved in by a sixteenth. The diagonal follows the channel of the
//   greatest range.
// - A block of one colour stands a third of the way between the two codes that come nearest to it.
// - Alpha is not carried: decoding writes 255.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/yuv.h"

namespace tandem::codec {

inline constexpr std::uint32_t kBlockExtent = 4;
inline constexpr std::uint32_t kBlockBytes = 8;

[[nodiscard]] constexpr std::uint32_t BlocksAcross(std::uint32_t extent) { return (extent + kBlockExtent - 1) / kBlockExtent; }

// Bytes of one row of blocks, and of a picture whose rows of blocks follow each other.
[[nodiscard]] constexpr std::uint64_t Bc1RowBytes(std::uint32_t width) {
  return std::uint64_t{kBlockBytes} * BlocksAcross(width);
}
[[nodiscard]] constexpr std::uint64_t Bc1Bytes(std::uint32_t width, std::uint32_t height) {
  return Bc1RowBytes(width) * BlocksAcross(height);
}

// `from`: any width and height from 1 on, any alignment. Rows of blocks are `block_pitch` bytes apart. Blocks at the edges
// repeat the last pixels.
void EncodeBc1(std::byte* blocks, std::uint64_t block_pitch, const color::Bgra8<const std::byte>& from);
// Every block is valid.
void DecodeBc1(const color::Bgra8<std::byte>& to, const std::byte* blocks, std::uint64_t block_pitch);

// Scalar reference; the fast forms equal it in every bit.
void EncodeBc1Reference(std::byte* blocks, std::uint64_t block_pitch, const color::Bgra8<const std::byte>& from);
void DecodeBc1Reference(const color::Bgra8<std::byte>& to, const std::byte* blocks, std::uint64_t block_pitch);

}  // namespace tandem::codec
