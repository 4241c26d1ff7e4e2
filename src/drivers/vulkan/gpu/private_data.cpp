#include "drivers/vulkan/gpu/private_data.h"

#include <cstring>

#include "base/aligned.h"
#include "base/limits.h"
#include "drivers/vulkan/format.h"
#include "link/surface/link_surface.h"

#include <d3dkmdt.h>

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

}  // namespace

Result<AllocationData> DescribeSurface(AllocationKind kind, std::uint32_t width, std::uint32_t height, color::Format format,
                                       std::uint32_t pitch) {
  const bool link = format == link::kLinkFormat && kind == AllocationKind::kLinear;
  const bool nv12 = IsNv12(format) && kind == AllocationKind::kLinear;
  const std::uint32_t pixel_bytes = nv12 ? 1 : PixelBytes(format);
  if (format == kPaletteFormat && kind == AllocationKind::kImage) {
    return Fail(ErrorKind::kInvalidArgument, "Images of programs have no palette; format {} is one of rows and primaries.",
                static_cast<std::uint32_t>(format));
  }
  if (pixel_bytes == 0 && !link) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} is not one that crosses adapters.", static_cast<std::uint32_t>(format));
  }
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "Extent {} x {} is not within 1 and {}.", width, height, kMaxSurfaceExtent);
  }
  if (nv12 && !color::IsNv12Extent(width, height)) {
    return Fail(ErrorKind::kInvalidArgument, "Extent {} x {} of an NV12 surface is not even.", width, height);
  }
  const std::uint32_t row = link ? link::LinkReferencePitch(width) : width * pixel_bytes;
  const std::uint32_t wanted = pitch == 0 ? AlignUp(row, kPitchAlignment) : pitch;
  if (wanted < row || wanted % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT != 0 || wanted > 2 * AlignUp(row, kPitchAlignment)) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} does not hold rows of {} bytes in multiples of {}.", wanted, row,
                D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT);
  }
  if (link && wanted != row) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} is not the {} of a link surface of width {}.", wanted, row, width);
  }
  AllocationData data;
  data.kind = kind;
  data.format = format;
  data.width = width;
  data.height = height;
  data.pitch = kind == AllocationKind::kLinear || kind == AllocationKind::kLocal ? wanted : 0;
  data.size =
      link ? link::LinkSurfaceBytes(width, height)
           : AlignUp(std::uint64_t{wanted} * AlignUp(nv12 ? color::Nv12Rows(height) : height, kHeightAlignment), kPageBytes);
  return data;
}

Result<AllocationData> DescribeHeap(std::uint32_t bytes) {
  if (bytes == 0) return Fail(ErrorKind::kInvalidArgument, "A heap of 0 bytes cannot be made.");
  AllocationData data;
  data.kind = AllocationKind::kHeap;
  data.width = bytes;
  data.height = 1;
  data.pitch = bytes;
  data.size = AlignUp(std::uint64_t{bytes}, kPageBytes);
  return data;
}

Result<AllocationData> ValidateAllocationData(const void* data, std::uint32_t data_size) {
  AllocationData given;
  if (data == nullptr || data_size != sizeof(given)) {
    return Fail(ErrorKind::kInvalidArgument, "Allocation data of {} bytes is not {} bytes long.", data_size, sizeof(given));
  }
  std::memcpy(&given, data, sizeof(given));
  if (given.magic != AllocationData::kMagic || given.version != AllocationData::kVersion) {
    return Fail(ErrorKind::kInvalidArgument, "Allocation data 0x{:x} version {} is not 0x{:x} version {}.", given.magic,
                given.version, std::uint32_t{AllocationData::kMagic}, std::uint32_t{AllocationData::kVersion});
  }
  if (given.kind < AllocationKind::kImage || given.kind > AllocationKind::kLocal || given.view_format_count > kMaxViewFormats ||
      given.vidpn_source >= kMaxVidPnSources) {
    return Fail(ErrorKind::kInvalidArgument,
                "Allocation kind {}, {} view formats (limit {}) or source {} (limit {}) is not valid.",
                static_cast<std::uint32_t>(given.kind), given.view_format_count, kMaxViewFormats, given.vidpn_source,
                kMaxVidPnSources - 1);
  }
  const bool in_system_memory = given.kind == AllocationKind::kLinear || given.kind == AllocationKind::kHeap;
  std::uint32_t allowed = 0;
  if (in_system_memory) allowed = kShareBackingStore;
  if (given.kind == AllocationKind::kPrimary && given.format != kPaletteFormat) allowed = kFramesOnly;
  if ((given.flags & ~allowed) != 0) {
    return Fail(ErrorKind::kInvalidArgument, "Flags 0x{:x} are not those of an allocation of kind {}.", given.flags,
                static_cast<std::uint32_t>(given.kind));
  }
  Result<AllocationData> expected = given.kind == AllocationKind::kHeap
                                        ? DescribeHeap(given.width)
                                        : DescribeSurface(given.kind, given.width, given.height, given.format, given.pitch);
  if (!expected.ok()) return std::move(expected).error();
  if (given.height != expected->height || given.pitch != expected->pitch || given.size != expected->size) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} and size {} are not those of a surface of {} x {}.", given.pitch,
                given.size, given.width, given.height);
  }
  given.object = 0;
  return given;
}

}  // namespace tandem::vulkan
