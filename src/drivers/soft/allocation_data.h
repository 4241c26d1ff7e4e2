// The private data of an allocation: what the two halves of the driver tell each other through the kernel. It comes from user
// mode, so the kernel-mode half believes nothing that ValidateAllocationData has not answered.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "color/nv12.h"

#include <d3dkmdt.h>

namespace tandem::soft {

// Cross-adapter resources and our own surfaces alike: what every driver of this contract can read and every display scan out.
inline constexpr std::uint32_t kPitchAlignment = 256;  // bytes; a multiple of D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT
inline constexpr std::uint32_t kHeightAlignment = 4;   // rows; D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT

// Twice the longest row: no adapter needs more padding, and offsets in a surface stay below 4 GiB.
inline constexpr std::uint32_t kMaxPitch = 256 * 1024 - 128;

// Indexes of a palette, one byte a pixel (DXGI_FORMAT_P8, D3DDDIFMT_P8): colours on the screen alone, so that color/ knows
// nothing of it.
inline constexpr color::Format kPaletteFormat{113};
// 4:2:0 as color/nv12.h has it; BT.709, full range, chroma brought back by nearest. A build without 4:2:0 knows no such surface.
[[nodiscard]] constexpr bool IsNv12(color::Format format) { return color::kHasYuv420 && format == color::kNv12; }
// 0 for what has no pixels that stand one after the other.
[[nodiscard]] inline std::uint32_t PixelBytes(color::Format format) {
  return format == kPaletteFormat ? 1 : color::BytesPerPixel(format);
}

inline constexpr std::uint32_t kAllocationMagic = 0x414F5354;  // "TSOA"
inline constexpr std::uint32_t kAllocationVersion = 1;

// AllocationData::flags.
inline constexpr std::uint32_t kAllocationCrossAdapter = 1;
inline constexpr std::uint32_t kAllocationPrimary = 2;
inline constexpr std::uint32_t kAllocationSharedWithKmd = 4;  // system memory that the kernel-mode half reads and writes, too

// Plain data without padding.
struct AllocationData {
  std::uint32_t magic = kAllocationMagic;
  std::uint32_t version = kAllocationVersion;
  std::uint32_t flags = 0;
  std::uint32_t vidpn_source = 0;                  // of a primary
  color::Format format = color::Format::kUnknown;  // kUnknown: `width` bytes without a pixel format, height 1
  std::uint32_t width = 0;                         // pixels
  std::uint32_t height = 0;                        // pixels
  std::uint32_t pitch = 0;                         // bytes from row to row
  std::uint64_t size = 0;                          // bytes, whole pages
};
static_assert(sizeof(AllocationData) == 40);

// A linear surface with the smallest allowed pitch and size. kInvalidArgument for an extent outside 1..kMaxSurfaceExtent or a
// format that the driver does not know, for odd extents of NV12.
[[nodiscard]] Result<AllocationData> DescribeSurface(std::uint32_t width, std::uint32_t height, color::Format format,
                                                     std::uint32_t flags, std::uint32_t vidpn_source);

// Gives a surface the pitch that another adapter chose for the same memory: a multiple of
// D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT that holds a row and is at most kMaxPitch; a link surface has only its own.
// kInvalidArgument.
[[nodiscard]] Result<AllocationData> WithPitch(AllocationData surface, std::uint32_t pitch);

// `bytes` bytes of system memory without a format; a cross-adapter heap. kInvalidArgument for 0.
[[nodiscard]] Result<AllocationData> DescribeHeap(std::uint32_t bytes);

// Checks private data of the given size: version, extents, pitch and size agree. kInvalidArgument.
[[nodiscard]] Result<AllocationData> ValidateAllocationData(const void* data, std::uint32_t data_size);

// The kernel's names for formats; sRGB and linear share one. Unknown ones answer D3DDDIFMT_UNKNOWN and kUnknown.
[[nodiscard]] D3DDDIFORMAT ToD3dddiFormat(color::Format format);
[[nodiscard]] color::Format ToColorFormat(D3DDDIFORMAT format);

}  // namespace tandem::soft
