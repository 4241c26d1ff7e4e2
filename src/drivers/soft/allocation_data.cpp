#include "drivers/soft/allocation_data.h"

#include <cstring>

#include "base/aligned.h"
#include "base/limits.h"
#include "link/surface/link_surface.h"

namespace tandem::soft {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t SurfaceBytes(color::Format format, std::uint32_t pitch, std::uint32_t width, std::uint32_t height) {
  if (format == link::kLinkFormat) return link::LinkSurfaceBytes(width, height);
  const std::uint32_t rows = IsNv12(format) ? color::Nv12Rows(height) : height;
  return AlignUp(std::uint64_t{pitch} * AlignUp(rows, kHeightAlignment), kPageBytes);
}

// A link surface has no rows of its own: its pitch is that of the picture's, its size what the codec needs.
std::uint32_t RowBytes(std::uint32_t width, color::Format format) {
  if (IsNv12(format)) return width;
  return format == link::kLinkFormat ? link::LinkReferencePitch(width) : width * PixelBytes(format);
}

}  // namespace

Result<AllocationData> DescribeSurface(std::uint32_t width, std::uint32_t height, color::Format format, std::uint32_t flags,
                                       std::uint32_t vidpn_source) {
  if (PixelBytes(format) == 0 && format != link::kLinkFormat && !IsNv12(format)) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} is not one of the soft adapter's.", static_cast<std::uint32_t>(format));
  }
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "Extent {} x {} is not within 1 and {}.", width, height, kMaxSurfaceExtent);
  }
  if (IsNv12(format) && !color::IsNv12Extent(width, height)) {
    return Fail(ErrorKind::kInvalidArgument, "Extent {} x {} of an NV12 surface is not even.", width, height);
  }
  AllocationData data;
  data.flags = flags;
  data.vidpn_source = vidpn_source;
  data.format = format;
  data.width = width;
  data.height = height;
  data.pitch = AlignUp(RowBytes(width, format), kPitchAlignment);
  data.size = SurfaceBytes(format, data.pitch, width, height);
  return data;
}

Result<AllocationData> WithPitch(AllocationData surface, std::uint32_t pitch) {
  if (surface.format == link::kLinkFormat && pitch != surface.pitch) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} is not the {} of a link surface of width {}.", pitch, surface.pitch,
                surface.width);
  }
  const std::uint32_t row_bytes = RowBytes(surface.width, surface.format);
  if (pitch < row_bytes || pitch > kMaxPitch || pitch % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT != 0) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} is not a multiple of {} between {} and {}.", pitch,
                D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT, row_bytes, kMaxPitch);
  }
  surface.pitch = pitch;
  surface.size = SurfaceBytes(surface.format, pitch, surface.width, surface.height);
  return surface;
}

Result<AllocationData> DescribeHeap(std::uint32_t bytes) {
  if (bytes == 0) return Fail(ErrorKind::kInvalidArgument, "A heap of 0 bytes cannot be made.");
  AllocationData data;
  data.flags = kAllocationCrossAdapter;
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
  if (given.magic != kAllocationMagic || given.version != kAllocationVersion) {
    return Fail(ErrorKind::kInvalidArgument, "Allocation data 0x{:x} version {} is not 0x{:x} version {}.", given.magic,
                given.version, kAllocationMagic, kAllocationVersion);
  }
  auto expected = given.format == color::Format::kUnknown
                      ? DescribeHeap(given.height == 1 ? given.width : 0)
                      : DescribeSurface(given.width, given.height, given.format, given.flags, given.vidpn_source);
  if (expected.ok() && given.format != color::Format::kUnknown) expected = WithPitch(*expected, given.pitch);
  if (!expected.ok()) return std::move(expected).error();
  if (given.pitch != expected->pitch || given.size != expected->size || (given.flags & ~7U) != 0 ||
      given.vidpn_source >= kMaxVidPnSources) {
    return Fail(ErrorKind::kInvalidArgument,
                "Pitch {}, size {}, flags 0x{:x} and source {} are not those of a surface of {} x {}.", given.pitch, given.size,
                given.flags, given.vidpn_source, given.width, given.height);
  }
  return given;
}

D3DDDIFORMAT ToD3dddiFormat(color::Format format) {
  if (format == link::kLinkFormat) return static_cast<D3DDDIFORMAT>(format);
  if (format == kPaletteFormat) return D3DDDIFMT_P8;
  if (IsNv12(format)) return D3DDDIFMT_NV12;
  switch (format) {
    case color::Format::kR16G16B16A16Float: return D3DDDIFMT_A16B16G16R16F;
    case color::Format::kR10G10B10A2Unorm: return D3DDDIFMT_A2B10G10R10;
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return D3DDDIFMT_A8B8G8R8;
    case color::Format::kB8G8R8A8Unorm:
    case color::Format::kB8G8R8A8UnormSrgb: return D3DDDIFMT_A8R8G8B8;
    case color::Format::kB8G8R8X8Unorm: return D3DDDIFMT_X8R8G8B8;
    case color::Format::kUnknown: break;
  }
  return D3DDDIFMT_UNKNOWN;
}

color::Format ToColorFormat(D3DDDIFORMAT format) {
  if (static_cast<color::Format>(format) == link::kLinkFormat) return link::kLinkFormat;
  switch (format) {
    case D3DDDIFMT_A16B16G16R16F: return color::Format::kR16G16B16A16Float;
    case D3DDDIFMT_A2B10G10R10: return color::Format::kR10G10B10A2Unorm;
    case D3DDDIFMT_A8B8G8R8:
    case D3DDDIFMT_X8B8G8R8: return color::Format::kR8G8B8A8Unorm;
    case D3DDDIFMT_A8R8G8B8: return color::Format::kB8G8R8A8Unorm;
    case D3DDDIFMT_X8R8G8B8: return color::Format::kB8G8R8X8Unorm;
    case D3DDDIFMT_P8: return kPaletteFormat;
    case D3DDDIFMT_NV12: return color::kNv12;
    default: return color::Format::kUnknown;
  }
}

}  // namespace tandem::soft
