// YUV 4:2:0 of B8G8R8A8 surfaces, with the chroma sample at the centre of its 2 x 2 pixels.
//
// Rules, equal in model, reference and SIMD:
// - Values count as display-encoded. Y = kr R + kg G + kb B, U = (B - Y) / (2 (1 - kb)), V = (R - Y) / (2 (1 - kr)), with kr
//   and kb of ITU-R BT.709, BT.601 or BT.2020 (non-constant luminance).
// - Full range: Y in 0..255, U and V around 128 in 0..255. Limited range: Y in 16..235, U and V in 16..240.
// - U and V come from the mean of the 2 x 2 pixels; at an odd right or lower edge from the existing pixels.
// - Each value is rounded once, halves upwards, then clamped to 0..255. At most one sample in 300 differs from the model, by 1.
// - A flat colour comes back within 1; within 2 for limited range, which has fewer levels than colours.
// - Alpha is not carried: decoding writes 255.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color {

// False: the build has TANDEM_YUV420=OFF and omits the declarations below. Callers use `if constexpr`.
#ifdef TANDEM_NO_YUV420
inline constexpr bool kHasYuv420 = false;
#else
inline constexpr bool kHasYuv420 = true;
#endif

enum class YuvMatrix : std::uint8_t { kBt709, kBt601, kBt2020 };
enum class YuvRange : std::uint8_t { kFull, kLimited };
struct YuvCoding {
  YuvMatrix matrix = YuvMatrix::kBt709;
  YuvRange range = YuvRange::kFull;
  friend bool operator==(const YuvCoding&, const YuvCoding&) = default;
};

// Interpolation of chroma to full resolution: one sample for all four pixels, or weights of 9, 3, 3 and 1 sixteenths of the
// four nearest samples. Nearest is faster and keeps coloured text sharper; bilinear is smoother on pictures.
enum class ChromaFilter : std::uint8_t { kNearest, kBilinear };

enum class YuvLayout : std::uint8_t {
  kThreePlanes,  // Y, U, V
  kNv12,         // Y, then pairs of U and V; `v` is not used
};

// width x height pixels of 4 bytes, rows `pitch` bytes apart. Any alignment.
template <class Byte>
struct Bgra8 {
  Byte* pixels = nullptr;
  std::uint64_t pitch = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

// The planes of a surface of width x height pixels: Y of that size, chroma of half of it, rounded up. A part of a surface
// begins at even coordinates, so that no two parts share a chroma sample.
template <class Byte>
struct Yuv420 {
  YuvLayout layout = YuvLayout::kNv12;
  Byte* y = nullptr;
  Byte* u = nullptr;  // kNv12: pairs of U and V
  Byte* v = nullptr;
  std::uint64_t y_pitch = 0;
  std::uint64_t chroma_pitch = 0;  // bytes, for kNv12 as well
};

// Samples of one chroma plane in each direction.
[[nodiscard]] constexpr std::uint32_t ChromaExtent(std::uint32_t extent) { return (extent + 1) / 2; }

// Any width and height from 1 on, any alignment; no overlap.
void EncodeYuv420(const Yuv420<std::byte>& to, const Bgra8<const std::byte>& from, YuvCoding coding);
void DecodeYuv420(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, YuvCoding coding, ChromaFilter filter);

// Scalar references; the fast forms equal them in every bit.
void EncodeYuv420Reference(const Yuv420<std::byte>& to, const Bgra8<const std::byte>& from, YuvCoding coding);
void DecodeYuv420Reference(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, YuvCoding coding,
                           ChromaFilter filter);

}  // namespace tandem::color
