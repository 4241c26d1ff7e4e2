// YUV 4:2:0 of R10G10B10A2 surfaces with ten bits a sample, as P010: 16-bit words with the sample in the upper ten bits. One
// plane contains Y, the other one pairs of U and V. codec/packed/packed_yuv10.h packs these to 15 bits a pixel for a link.
//
// The rules are those of color/yuv.h with 1023 for 255. Full range: Y, U and V in 0..1023 around 512. Limited range: Y in
// 64..940, U and V in 64..960. Each value is rounded once, halves upwards. Alpha comes back as 3.
#pragma once

#include <cstddef>
#include <cstdint>

#include "color/yuv.h"

namespace tandem::color {

// Words at even addresses; pitches in bytes, even.
template <class Byte>
struct P010 {
  Byte* y = nullptr;
  Byte* uv = nullptr;
  std::uint64_t y_pitch = 0;
  std::uint64_t uv_pitch = 0;
};

// width x height pixels of R10G10B10A2, rows `pitch` bytes apart. Any width and height from 1 on; no overlap.
template <class Byte>
struct Rgb10 {
  Byte* pixels = nullptr;
  std::uint64_t pitch = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

void EncodeP010(const P010<std::byte>& to, const Rgb10<const std::byte>& from, YuvCoding coding);
// Fast for full range with nearest chroma, scalar otherwise.
void DecodeP010(const Rgb10<std::byte>& to, const P010<const std::byte>& from, YuvCoding coding, ChromaFilter filter);

// Scalar references; the fast forms equal them in every bit.
void EncodeP010Reference(const P010<std::byte>& to, const Rgb10<const std::byte>& from, YuvCoding coding);
void DecodeP010Reference(const Rgb10<std::byte>& to, const P010<const std::byte>& from, YuvCoding coding, ChromaFilter filter);

}  // namespace tandem::color
