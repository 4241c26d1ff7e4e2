// A frame's picture, a function of its number alone: a shown frame reveals its number and whether every byte arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tandem::test {

// The 32-bit word at `word` of row `y`. Word 0 of row 0 is the frame's number; the others depend on number and position. The
// exponent bits that would make a half float infinite or NaN are clear, so that no driver may change the bits.
inline std::uint32_t PatternWord(std::uint32_t frame, std::uint32_t word, std::uint32_t y) {
  if (word == 0 && y == 0) return frame;
  const std::uint32_t mixed = frame * 2654435761U + word * 2246822519U + y * 3266489917U;
  return (mixed ^ (mixed >> 15)) & 0xBFFFBFFFU;
}

// Rows of `width * bytes_per_pixel` bytes without padding; bytes_per_pixel is 4 or 8.
inline void FillPattern(std::span<std::byte> pixels, std::uint32_t width, std::uint32_t height, std::uint32_t bytes_per_pixel,
                        std::uint32_t frame) {
  const std::uint32_t words = width * (bytes_per_pixel / 4);
  std::size_t offset = 0;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t word = 0; word < words; ++word, offset += 4) {
      const std::uint32_t value = PatternWord(frame, word, y);
      std::memcpy(pixels.data() + offset, &value, sizeof value);
    }
  }
}

}  // namespace tandem::test
