#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "codec/bc1/bc1_blocks.h"
#include "color/yuv.h"

namespace tandem::codec {
namespace {

constexpr std::uint32_t kPixels = kBlockExtent * kBlockExtent;

using Color = std::array<int, 3>;  // blue, green, red

struct Endpoint {
  int code;
  Color color;  // decoded from `code`
};

Color Expanded(int code) {
  const int blue = code & 31;
  const int green = code >> 5 & 63;
  const int red = code >> 11;
  return {blue << 3 | blue >> 2, green << 2 | green >> 4, red << 3 | red >> 2};
}

// Rounds to the nearest codes.
Endpoint EndpointAt(const Color& color) {
  const int code = (color[0] * 249 + 1014) >> 11 | (color[1] * 253 + 505) >> 10 << 5 | (color[2] * 249 + 1014) >> 11 << 11;
  return {code, Expanded(code)};
}

// The channel that varies most, green first and red last.
std::size_t Pivot(const Color& range) {
  if (range[1] >= range[0] && range[1] >= range[2]) return 1;
  return range[0] >= range[2] ? 0 : 2;
}

bool IsFlat(const std::array<Color, kPixels>& pixels) {
  return std::all_of(pixels.begin(), pixels.end(), [&](const Color& pixel) { return pixel == pixels[0]; });
}

std::pair<Endpoint, Endpoint> EndpointsOf(const std::array<Color, kPixels>& pixels) {
  Color low = pixels[0];
  Color high = pixels[0];
  for (const Color& pixel : pixels) {
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], pixel[c]);
      high[c] = std::max(high[c], pixel[c]);
    }
  }
  Color range{};
  for (std::size_t c = 0; c < 3; ++c) range[c] = high[c] - low[c];
  const std::size_t pivot = Pivot(range);
  Color with_pivot{};  // sign: direction of each channel as the pivot grows
  for (const Color& pixel : pixels) {
    for (std::size_t c = 0; c < 3; ++c) {
      with_pivot[c] += (2 * pixel[c] - low[c] - high[c]) * (2 * pixel[pivot] - low[pivot] - high[pivot]);
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    const int inset = range[c] >> 4;
    low[c] += inset;
    high[c] -= inset;
    if (with_pivot[c] < 0) std::swap(low[c], high[c]);
  }
  return {EndpointAt(high), EndpointAt(low)};
}

std::uint64_t EncodeBlock(const std::byte* at, std::uint64_t pitch) {
  std::array<Color, kPixels> pixels{};
  for (std::uint32_t i = 0; i < kPixels; ++i) {
    const std::byte* const pixel = at + i / kBlockExtent * pitch + 4ULL * (i % kBlockExtent);
    for (std::size_t c = 0; c < 3; ++c) pixels[i][c] = std::to_integer<int>(pixel[c]);
  }
  if (IsFlat(pixels)) {
    std::uint32_t color = 0;
    std::memcpy(&color, at, sizeof(color));
    return FlatBlock(color);
  }
  auto [first, second] = EndpointsOf(pixels);
  if (first.code < second.code) std::swap(first, second);
  std::uint64_t block = static_cast<std::uint64_t>(first.code) | static_cast<std::uint64_t>(second.code) << 16;
  if (first.code == second.code) return block;
  Color axis{};
  int length = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    axis[c] = first.color[c] - second.color[c];
    length += axis[c] * axis[c];
  }
  for (std::uint32_t i = 0; i < kPixels; ++i) {
    int along = 0;
    for (std::size_t c = 0; c < 3; ++c) along += 6 * (pixels[i][c] - second.color[c]) * axis[c];
    // The order from the second colour to the first is 1, 3, 2, 0.
    const std::uint32_t index = (along >= 3 * length ? 0U : 1U) | (along >= length && along < 5 * length ? 2U : 0U);
    block |= std::uint64_t{index} << (32 + 2 * i);
  }
  return block;
}

std::uint32_t PixelOf(const Color& color) {
  return static_cast<std::uint32_t>(color[0]) | static_cast<std::uint32_t>(color[1]) << 8 |
         static_cast<std::uint32_t>(color[2]) << 16 | 0xFF000000U;
}

std::array<std::uint32_t, 4> PaletteOf(std::uint64_t block) {
  const int first = static_cast<int>(block & 0xFFFF);
  const int second = static_cast<int>(block >> 16 & 0xFFFF);
  const Color a = Expanded(first);
  const Color b = Expanded(second);
  Color third{};
  Color fourth{};
  for (std::size_t c = 0; c < 3; ++c) {
    third[c] = first > second ? (2 * a[c] + b[c] + 1) / 3 : (a[c] + b[c] + 1) / 2;
    fourth[c] = first > second ? (a[c] + 2 * b[c] + 1) / 3 : 0;
  }
  return {PixelOf(a), PixelOf(b), PixelOf(third), PixelOf(fourth)};
}

}  // namespace

void EncodeBlocksReference(const std::byte* pixels, std::uint64_t pitch, std::uint32_t count, std::byte* blocks) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t block = EncodeBlock(pixels + std::uint64_t{i} * BlockPixels::kPitch, pitch);
    std::memcpy(blocks + std::uint64_t{i} * kBlockBytes, &block, sizeof(block));
  }
}

void DecodeBlocksReference(const std::byte* blocks, std::uint32_t count, std::byte* pixels, std::uint64_t pitch) {
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t block = 0;
    std::memcpy(&block, blocks + std::uint64_t{i} * kBlockBytes, sizeof(block));
    const std::array<std::uint32_t, 4> palette = PaletteOf(block);
    std::byte* const at = pixels + std::uint64_t{i} * BlockPixels::kPitch;
    for (std::uint32_t pixel = 0; pixel < kPixels; ++pixel) {
      const std::uint32_t color = palette[block >> (32 + 2 * pixel) & 3];
      std::memcpy(at + pixel / kBlockExtent * pitch + 4ULL * (pixel % kBlockExtent), &color, sizeof(color));
    }
  }
}

void EncodeBc1Reference(std::byte* blocks, std::uint64_t block_pitch, const color::Bgra8<const std::byte>& from) {
  EncodePicture(blocks, block_pitch, from, EncodeBlocksReference);
}

void DecodeBc1Reference(const color::Bgra8<std::byte>& to, const std::byte* blocks, std::uint64_t block_pitch) {
  DecodePicture(to, blocks, block_pitch, DecodeBlocksReference);
}

}  // namespace tandem::codec
