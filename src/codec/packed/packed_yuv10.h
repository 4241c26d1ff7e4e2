// 4:2:0 with ten bits a sample as it crosses a link: rows of Y, then rows of pairs of U and V as color/p010.h makes them (of any
// coding), but packed: four samples in five bytes, each after the one before. 15 bits a pixel. A build with
// TANDEM_YUV420=OFF leaves the functions out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/p010.h"

namespace tandem::codec {

// Of a row; it ends after whole groups of four samples.
[[nodiscard]] constexpr std::uint64_t PackedSamplesBytes(std::uint32_t samples) { return (std::uint64_t{samples} + 3) / 4 * 5; }

[[nodiscard]] constexpr std::uint64_t PackedYuv10Bytes(std::uint32_t width, std::uint32_t height) {
  return PackedSamplesBytes(width) * height + PackedSamplesBytes(2 * color::ChromaExtent(width)) * color::ChromaExtent(height);
}

// `count` words of P010 (the sample in the upper ten bits), any alignment. Lower bits do not matter, and come back as 0.
void PackSamples(std::byte* packed, const std::byte* words, std::uint32_t count);
void UnpackSamples(std::byte* words, const std::byte* packed, std::uint32_t count);

// A payload of width x height pixels from an even row on.
template <class Byte>
struct PackedYuv10 {
  PackedYuv10(Byte* payload, std::uint32_t width, std::uint32_t height, std::uint32_t first_row)
      : y(payload + PackedSamplesBytes(width) * first_row),
        uv(payload + PackedSamplesBytes(width) * height + PackedSamplesBytes(2 * color::ChromaExtent(width)) * (first_row / 2)) {}
  Byte* y;
  Byte* uv;
};

// What both sides need beside pixels and payload.
[[nodiscard]] constexpr std::uint64_t PackedYuv10RoomBytes(std::uint32_t width) { return std::uint64_t{2} * 3 * (width + 1); }

// The rows of a payload; chroma comes back by nearest, alpha as opaque.
void EncodePackedYuv10(const PackedYuv10<std::byte>& to, const color::Rgb10<const std::byte>& from, color::YuvCoding coding,
                       std::byte* room);
void DecodePackedYuv10(const color::Rgb10<std::byte>& to, const PackedYuv10<const std::byte>& from, color::YuvCoding coding,
                       std::byte* room);

}  // namespace tandem::codec
