// YUV 4:2:0 of B8G8R8A8 surfaces, with the chroma sample at the centre of its 2 x 2 pixels.
//
// Rules, the same in model, reference and SIMD:
// - values are taken as display-encoded; Y = kr R + kg G + kb B, U = (B - Y) / (2 (1 - kb)), V = (R - Y) / (2 (1 - kr)), kr and
//   kb by ITU-R BT.709, BT.601 or BT.2020 (non-constant luminance)
// - full range: Y in 0..255, U and V around 128 in 0..255; limited: Y in 16..235, U and V in 16..240
// - U and V are those of the mean of the 2 x 2 pixels; at an odd right or lower edge of the pixels that exist
// - each value is rounded once, halves upwards, then clamped to 0..255; against the model at most one sample in 300 is off, by 1
// - a flat colour comes back within 1, of the limited range, which has fewer levels than colours, within 2
// - alpha is not carried: decoding writes 255
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::color {

// Whether what is declared below is there: a build with TANDEM_YUV420=OFF leaves it out. Calls stand behind `if constexpr`.
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

// How chroma is brought back to full resolution: its sample for all four pixels, or weights of 9, 3, 3 and 1 sixteenths of the
// four nearest samples. Nearest is the faster and keeps coloured text sharper, bilinear is smoother on pictures.
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

// The planes for a surface of width x height pixels: Y of that size, chroma of half of it, rounded up. A part of a surface begins
// at even coordinates, so that no chroma sample is shared between two parts.
template <class Byte>
struct Yuv420 {
  YuvLayout layout = YuvLayout::kNv12;
  Byte* y = nullptr;
  Byte* u = nullptr;  // of kNv12: the pairs
  Byte* v = nullptr;
  std::uint64_t y_pitch = 0;
  std::uint64_t chroma_pitch = 0;  // of kNv12 in bytes too
};

// Samples of one chroma plane in each direction.
[[nodiscard]] constexpr std::uint32_t ChromaExtent(std::uint32_t extent) { return (extent + 1) / 2; }

// Any width and height from 1 on, any alignment; no overlap.
void EncodeYuv420(const Yuv420<std::byte>& to, const Bgra8<const std::byte>& from, YuvCoding coding);
void DecodeYuv420(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, YuvCoding coding, ChromaFilter filter);

// The scalar forms: equal to the fast ones in every bit.
void EncodeYuv420Reference(const Yuv420<std::byte>& to, const Bgra8<const std::byte>& from, YuvCoding coding);
void DecodeYuv420Reference(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, YuvCoding coding,
                           ChromaFilter filter);

}  // namespace tandem::color
