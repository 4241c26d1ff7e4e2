// NV12 surfaces as DXGI_FORMAT_NV12 lays them out: rows of luma, then half as many rows of chroma pairs, all of one pitch.
// Extents are even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "color/blit.h"
#include "color/yuv.h"

namespace tandem::color {

// DXGI_FORMAT_NV12. Not a member of Format: its pixels are not contiguous, so BytesPerPixel does not apply.
inline constexpr Format kNv12{103};
// Intermediate format of conversions between NV12 and other formats.
inline constexpr Format kNv12Between = Format::kB8G8R8A8Unorm;

[[nodiscard]] constexpr bool IsNv12Extent(std::uint32_t width, std::uint32_t height) { return width % 2 == 0 && height % 2 == 0; }

// Rows of luma and chroma together.
[[nodiscard]] constexpr std::uint32_t Nv12Rows(std::uint32_t height) { return height + height / 2; }
[[nodiscard]] constexpr std::uint64_t Nv12Bytes(std::uint32_t width, std::uint32_t height) {
  return std::uint64_t{width} * Nv12Rows(height);
}

// Rows from a part's first row of luma to its first row of chroma, which begins in the same column of bytes. The part begins at
// even coordinates of a surface of `height` rows.
[[nodiscard]] constexpr std::uint32_t Nv12ChromaDistance(std::uint32_t height, std::uint32_t top) { return height - top / 2; }

// The planes of a part, from its first byte of luma on. `chroma_distance`: rows, as above.
template <class Byte>
[[nodiscard]] Yuv420<Byte> Nv12Planes(Byte* luma, std::uint64_t pitch, std::uint32_t chroma_distance) {
  Yuv420<Byte> planes;
  planes.layout = YuvLayout::kNv12;
  planes.y = luma;
  planes.u = luma + pitch * chroma_distance;
  planes.y_pitch = planes.chroma_pitch = pitch;
  return planes;
}

// Builds with TANDEM_YUV420=OFF omit the functions below; callers use `if constexpr (kHasYuv420)`.

// Copies into NV12: converts to kNv12Between, then encodes (BT.709, full range). Ignores the request's destination pointer,
// pitch and format. Precondition: the request has no colour key, and its rotated part begins and ends at even coordinates.
// `to`: the planes from that part on. `room` is grown at first use.
void BlitToNv12(const BlitRequest& request, const Yuv420<std::byte>& to, std::vector<std::byte>& room);

// Copies out of NV12: decodes (BT.709, full range, nearest chroma), then converts from kNv12Between. Rotation takes one pass
// over memory. Ignores the request's source pointer, pitch and format. `from`: the planes of the source rectangle, which begins
// at even coordinates; the part may begin anywhere. `room` is grown at first use.
void BlitFromNv12(const BlitRequest& request, const Yuv420<const std::byte>& from, std::vector<std::byte>& room);

}  // namespace tandem::color
