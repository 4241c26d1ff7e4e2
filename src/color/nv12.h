// NV12 surfaces as DXGI_FORMAT_NV12 lays them out: rows of luma, then half as many rows of chroma pairs, all of one pitch.
// Extents are even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "color/blit.h"
#include "color/yuv.h"

namespace tandem::color {

// DXGI_FORMAT_NV12. Not among Format's: its pixels do not stand one after the other, so BytesPerPixel knows none.
inline constexpr Format kNv12{103};
// What stands between it and other formats where a copy converts.
inline constexpr Format kNv12Between = Format::kB8G8R8A8Unorm;

[[nodiscard]] constexpr bool IsNv12Extent(std::uint32_t width, std::uint32_t height) { return width % 2 == 0 && height % 2 == 0; }

// Of luma and chroma together.
[[nodiscard]] constexpr std::uint32_t Nv12Rows(std::uint32_t height) { return height + height / 2; }
[[nodiscard]] constexpr std::uint64_t Nv12Bytes(std::uint32_t width, std::uint32_t height) {
  return std::uint64_t{width} * Nv12Rows(height);
}

// Of a part that begins at even coordinates, in a surface of `height` rows: from its first row of luma down to its first row of
// chroma, which begins in the same column of bytes.
[[nodiscard]] constexpr std::uint32_t Nv12ChromaDistance(std::uint32_t height, std::uint32_t top) { return height - top / 2; }

// The planes of a part from its first byte of luma on. `chroma_distance` in rows, as above.
template <class Byte>
[[nodiscard]] Yuv420<Byte> Nv12Planes(Byte* luma, std::uint64_t pitch, std::uint32_t chroma_distance) {
  Yuv420<Byte> planes;
  planes.layout = YuvLayout::kNv12;
  planes.y = luma;
  planes.u = luma + pitch * chroma_distance;
  planes.y_pitch = planes.chroma_pitch = pitch;
  return planes;
}

// A build with TANDEM_YUV420=OFF leaves out what follows: calls stand behind `if constexpr (kHasYuv420)`.

// A copy into NV12: as into kNv12Between, then encoded (BT.709, full range). Of the request everything is read but the pointer,
// pitch and format of the destination; it compares with no key. Where its part stands in memory, so turned, it begins and ends at
// even coordinates of the surface, and `to` has the planes from there on. `room` is grown at first use.
void BlitToNv12(const BlitRequest& request, const Yuv420<std::byte>& to, std::vector<std::byte>& room);

// A copy out of NV12: decoded (BT.709, full range, each chroma sample for its four pixels), then as from kNv12Between; turned in
// one pass over memory. Of the request everything is read but the pointer, pitch and format of the source, whose rectangle begins
// at even coordinates of the surface and has the planes `from`; its part may begin anywhere. `room` is grown at first use.
void BlitFromNv12(const BlitRequest& request, const Yuv420<const std::byte>& from, std::vector<std::byte>& room);

}  // namespace tandem::color
