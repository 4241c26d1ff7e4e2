// Whole blocks in a row, the unit of reference and SIMD, and the walk over a picture that both share. Internal to the module.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "codec/bc1/bc1.h"
#include "color/yuv.h"

namespace tandem::codec {

// Codes `count` blocks from rows of pixels `pitch` bytes apart, and decodes them.
using EncodeBlocks = void (*)(const std::byte* pixels, std::uint64_t pitch, std::uint32_t count, std::byte* blocks);
using DecodeBlocks = void (*)(const std::byte* blocks, std::uint32_t count, std::byte* pixels, std::uint64_t pitch);

void EncodeBlocksReference(const std::byte* pixels, std::uint64_t pitch, std::uint32_t count, std::byte* blocks);
void DecodeBlocksReference(const std::byte* blocks, std::uint32_t count, std::byte* pixels, std::uint64_t pitch);

// A block of sixteen pixels of `color` (B8G8R8; the upper byte is ignored).
[[nodiscard]] std::uint64_t FlatBlock(std::uint32_t color);

// One block of 4 x 4 pixels.
struct BlockPixels {
  static constexpr std::uint64_t kPitch = 4 * kBlockExtent;
  std::byte bytes[kPitch * kBlockExtent];
};

inline void EncodePicture(std::byte* blocks, std::uint64_t block_pitch, const color::Bgra8<const std::byte>& from,
                          EncodeBlocks encode) {
  for (std::uint32_t top = 0; top < from.height; top += kBlockExtent, blocks += block_pitch) {
    const std::byte* const rows = from.pixels + top * from.pitch;
    const std::uint32_t height = std::min(kBlockExtent, from.height - top);
    const std::uint32_t whole = height == kBlockExtent ? from.width / kBlockExtent : 0;
    encode(rows, from.pitch, whole, blocks);
    for (std::uint32_t block = whole; block < BlocksAcross(from.width); ++block) {
      const std::uint32_t left = block * kBlockExtent;
      BlockPixels pixels;
      for (std::uint32_t y = 0; y < kBlockExtent; ++y) {
        for (std::uint32_t x = 0; x < kBlockExtent; ++x) {
          const std::uint64_t column = std::min(left + x, from.width - 1);
          std::memcpy(pixels.bytes + y * BlockPixels::kPitch + 4ULL * x, rows + std::min(y, height - 1) * from.pitch + 4 * column,
                      4);
        }
      }
      EncodeBlocksReference(pixels.bytes, BlockPixels::kPitch, 1, blocks + std::uint64_t{kBlockBytes} * block);
    }
  }
}

inline void DecodePicture(const color::Bgra8<std::byte>& to, const std::byte* blocks, std::uint64_t block_pitch,
                          DecodeBlocks decode) {
  for (std::uint32_t top = 0; top < to.height; top += kBlockExtent, blocks += block_pitch) {
    std::byte* const rows = to.pixels + top * to.pitch;
    const std::uint32_t height = std::min(kBlockExtent, to.height - top);
    const std::uint32_t whole = height == kBlockExtent ? to.width / kBlockExtent : 0;
    decode(blocks, whole, rows, to.pitch);
    for (std::uint32_t block = whole; block < BlocksAcross(to.width); ++block) {
      const std::uint64_t left = std::uint64_t{block} * kBlockExtent;
      BlockPixels pixels;
      DecodeBlocksReference(blocks + std::uint64_t{kBlockBytes} * block, 1, pixels.bytes, BlockPixels::kPitch);
      const std::size_t row_bytes = 4 * std::min<std::uint64_t>(kBlockExtent, to.width - left);
      for (std::uint32_t y = 0; y < height; ++y)
        std::memcpy(rows + y * to.pitch + 4 * left, pixels.bytes + y * BlockPixels::kPitch, row_bytes);
    }
  }
}

}  // namespace tandem::codec
