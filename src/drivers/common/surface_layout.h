// Linear surfaces: pitch, size, and the private data that describes one.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/result.h"
#include "color/format.h"
#include "drivers/common/pixel_format.h"

#include <d3dkmddi.h>

namespace tandem::drivers {

// A driver's own surfaces have the alignment of cross-adapter resources, so that every adapter reads and scans out any of them.
inline constexpr std::uint32_t kPitchAlignment = 256;  // bytes; a multiple of D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT
inline constexpr std::uint32_t kHeightAlignment = 4;   // rows; D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT
// Twice the longest row: no adapter needs more padding, and offsets in a surface stay below 4 GiB.
inline constexpr std::uint32_t kMaxPitch = 256 * 1024 - 128;

struct SurfaceLayout {
  std::uint32_t pitch = 0;  // bytes from row to row
  std::uint64_t size = 0;   // bytes, whole pages
};

// `pitch` 0 takes the smallest multiple of kPitchAlignment that holds a row. Another adapter's pitch is a multiple of
// D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT, holds a row, and is at most kMaxPitch. A link surface has the pitch of its
// reference rows and no other. kInvalidArgument for these, for an extent outside 1 to kMaxSurfaceExtent, for an odd extent of
// NV12, and for a format that does not cross adapters.
[[nodiscard]] Result<SurfaceLayout> LayOutSurface(std::uint32_t width, std::uint32_t height, color::Format format,
                                                  std::uint32_t pitch);
// `bytes` of memory without a format, as one row. kInvalidArgument for 0.
[[nodiscard]] Result<SurfaceLayout> LayOutHeap(std::uint32_t bytes);

// The private data of a heap, without the driver's own members. Errors: those of LayOutHeap.
template <class Data>
[[nodiscard]] Result<Data> DescribeHeapAs(std::uint32_t bytes) {
  auto layout = LayOutHeap(bytes);
  if (!layout.ok()) return std::move(layout).error();
  Data data;
  data.width = bytes;
  data.height = 1;
  data.pitch = layout->pitch;
  data.size = layout->size;
  return data;
}

// Copies private data that came from user mode, and checks its size, magic and version. kInvalidArgument.
template <class Data>
[[nodiscard]] Result<Data> ReadPrivateData(const void* data, std::uint32_t bytes) {
  Data given;
  if (data == nullptr || bytes != sizeof(given)) {
    return Fail(ErrorKind::kInvalidArgument, "Allocation data of {} bytes is not {} bytes long.", bytes, sizeof(given));
  }
  std::memcpy(&given, data, sizeof(given));
  if (given.magic != Data::kMagic || given.version != Data::kVersion) {
    return Fail(ErrorKind::kInvalidArgument, "Allocation data 0x{:x} version {} is not 0x{:x} version {}.", given.magic,
                given.version, std::uint32_t{Data::kMagic}, std::uint32_t{Data::kVersion});
  }
  return given;
}

// DxgkDdiDescribeAllocation of an unrotated surface.
void DescribeAllocation(std::uint32_t width, std::uint32_t height, color::Format format, DXGKARG_DESCRIBEALLOCATION& args);

// The bit of a segment in a DXGK_ALLOCATIONINFO segment set; ids count from 1.
[[nodiscard]] constexpr UINT SegmentSet(std::uint32_t segment) { return 1U << (segment - 1); }

}  // namespace tandem::drivers
