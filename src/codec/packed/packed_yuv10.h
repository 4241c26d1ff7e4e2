// 4:2:0 with ten bits a sample for a link, 15 bits a pixel: rows of Y, then rows of U and V pairs as color/p010.h makes them,
// in any coding. Four samples are packed into five bytes without gaps. Builds with TANDEM_YUV420=OFF omit the functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/p010.h"

namespace tandem::codec {

// Bytes of a row, which ends after whole groups of four samples.
[[nodiscard]] constexpr std::uint64_t PackedSamplesBytes(std::uint32_t samples) { return (std::uint64_t{samples} + 3) / 4 * 5; }

[[nodiscard]] constexpr std::uint64_t PackedYuv10Bytes(std::uint32_t width, std::uint32_t height) {
  return PackedSamplesBytes(width) * height + PackedSamplesBytes(2 * color::ChromaExtent(width)) * color::ChromaExtent(height);
}

// `words`: `count` words of P010 (the sample in the upper ten bits), any alignment. Lower bits are ignored and come back as 0.
void PackSamples(std::byte* packed, const std::byte* words, std::uint32_t count);
void UnpackSamples(std::byte* words, const std::byte* packed, std::uint32_t count);

// The rows of a payload of width x height pixels from `first_row` on, which is even.
template <class Byte>
struct PackedYuv10 {
  PackedYuv10(Byte* payload, std::uint32_t width, std::uint32_t height, std::uint32_t first_row)
      : y(payload + PackedSamplesBytes(width) * first_row),
        uv(payload + PackedSamplesBytes(width) * height + PackedSamplesBytes(2 * color::ChromaExtent(width)) * (first_row / 2)) {}
  Byte* y;
  Byte* uv;
};

// Size of the room that both sides need.
[[nodiscard]] constexpr std::uint64_t PackedYuv10RoomBytes(std::uint32_t width) { return std::uint64_t{2} * 3 * (width + 1); }

// Codes rows of a payload. Chroma comes back by nearest, alpha opaque.
void EncodePackedYuv10(const PackedYuv10<std::byte>& to, const color::Rgb10<const std::byte>& from, color::YuvCoding coding,
                       std::byte* room);
void DecodePackedYuv10(const color::Rgb10<std::byte>& to, const PackedYuv10<const std::byte>& from, color::YuvCoding coding,
                       std::byte* room);

}  // namespace tandem::codec
