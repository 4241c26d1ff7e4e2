#include "drivers/common/surface_layout.h"

#include "base/aligned.h"
#include "base/limits.h"
#include "color/format.h"
#include "link/surface/link_surface.h"

#include <d3dkmdt.h>

namespace tandem::drivers {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

// A link surface has no rows of its own; its reference rows have the picture's.
std::uint32_t RowBytes(std::uint32_t width, color::Format format) {
  if (format == link::kLinkFormat) return link::LinkReferencePitch(width);
  return IsNv12(format) ? width : width * PixelBytes(format);
}

std::uint64_t SurfaceBytes(std::uint32_t width, std::uint32_t height, color::Format format, std::uint32_t pitch) {
  if (format == link::kLinkFormat) return link::LinkSurfaceBytes(width, height);
  const std::uint32_t rows = IsNv12(format) ? color::Nv12Rows(height) : height;
  return AlignUp(std::uint64_t{pitch} * AlignUp(rows, kHeightAlignment), kPageBytes);
}

}  // namespace

Result<SurfaceLayout> LayOutSurface(std::uint32_t width, std::uint32_t height, color::Format format, std::uint32_t pitch) {
  if (PixelBytes(format) == 0 && format != link::kLinkFormat && !IsNv12(format)) {
    return Fail(ErrorKind::kInvalidArgument, "Format {} is not one that crosses adapters.", static_cast<std::uint32_t>(format));
  }
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "Extent {} x {} is not within 1 and {}.", width, height, kMaxSurfaceExtent);
  }
  if (IsNv12(format) && !color::IsNv12Extent(width, height)) {
    return Fail(ErrorKind::kInvalidArgument, "Extent {} x {} of an NV12 surface is not even.", width, height);
  }
  const std::uint32_t row = RowBytes(width, format);
  const std::uint32_t own = AlignUp(row, kPitchAlignment);
  const std::uint32_t wanted = pitch == 0 ? own : pitch;
  if (format == link::kLinkFormat && wanted != own) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} is not the {} of a link surface of width {}.", wanted, own, width);
  }
  if (wanted < row || wanted > kMaxPitch || wanted % D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT != 0) {
    return Fail(ErrorKind::kInvalidArgument, "Pitch {} is not a multiple of {} between {} and {}.", wanted,
                D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT, row, kMaxPitch);
  }
  return SurfaceLayout{wanted, SurfaceBytes(width, height, format, wanted)};
}

Result<SurfaceLayout> LayOutHeap(std::uint32_t bytes) {
  if (bytes == 0) return Fail(ErrorKind::kInvalidArgument, "A heap of 0 bytes cannot be made.");
  return SurfaceLayout{bytes, AlignUp(std::uint64_t{bytes}, kPageBytes)};
}

void DescribeAllocation(std::uint32_t width, std::uint32_t height, color::Format format, DXGKARG_DESCRIBEALLOCATION& args) {
  args.Width = width;
  args.Height = height;
  args.Format = ToD3dddiFormat(format);
  args.MultisampleMethod = {};
  args.RefreshRate = {};
  args.PrivateDriverFormatAttribute = 0;
  args.Rotation = D3DDDI_ROTATION_IDENTITY;
}

}  // namespace tandem::drivers
