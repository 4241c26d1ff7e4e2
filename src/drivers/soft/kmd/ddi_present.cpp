// DxgkDdiPresent: copy, colour fill, and the validation of flips.
#include <algorithm>

#include "color/convert.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/surface_commands.h"

namespace tandem::soft {
namespace {

PixelRect ToPixelRect(const RECT& rect) { return {rect.left, rect.top, rect.right, rect.bottom}; }

// An A8R8G8B8 colour as a pixel of the format.
std::uint64_t ToPixel(UINT argb, color::Format format) {
  const std::uint64_t a = argb >> 24;
  const std::uint64_t r = (argb >> 16) & 0xFF;
  const std::uint64_t g = (argb >> 8) & 0xFF;
  const std::uint64_t b = argb & 0xFF;
  switch (format) {
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return r | (g << 8) | (b << 16) | (a << 24);
    case color::Format::kR10G10B10A2Unorm: {
      const auto to10 = [](std::uint64_t channel) { return (channel * 1023 + 127) / 255; };
      return to10(r) | (to10(g) << 10) | (to10(b) << 20) | (((a * 3 + 127) / 255) << 30);
    }
    case color::Format::kR16G16B16A16Float:
      return std::uint64_t{color::Unorm8ToHalf(static_cast<std::uint8_t>(r))} |
             (std::uint64_t{color::Unorm8ToHalf(static_cast<std::uint8_t>(g))} << 16) |
             (std::uint64_t{color::Unorm8ToHalf(static_cast<std::uint8_t>(b))} << 32) |
             (std::uint64_t{color::Unorm8ToHalf(static_cast<std::uint8_t>(a))} << 48);
    default: return argb;
  }
}

bool IsScanOutSurface(const AllocationData& data) {
  return data.format != color::Format::kUnknown && (data.flags & (kAllocationPrimary | kAllocationCrossAdapter)) != 0;
}

// The rectangles of a present: the clipped ones, or the whole destination when none are given.
class Rectangles {
 public:
  explicit Rectangles(const DXGKARG_PRESENT& present) : present_(present) {}
  [[nodiscard]] UINT count() const { return present_.SubRectCnt == 0 ? 1 : present_.SubRectCnt; }
  [[nodiscard]] PixelRect operator[](UINT index) const {
    return ToPixelRect(present_.SubRectCnt == 0 ? present_.DstRect : present_.pDstSubRects[index]);
  }

 private:
  const DXGKARG_PRESENT& present_;
};

// Runs `write(rect)` for each rectangle from MultipassOffset on and keeps the kernel's pointers and the offset up to date.
template <class Write>
NTSTATUS WriteRectangles(DXGKARG_PRESENT& present, const AllocationData& destination, Write&& write) {
  const Rectangles rectangles(present);
  SurfaceCommandWriter writer(present.pDmaBuffer, present.DmaSize, present.pPatchLocationListOut,
                              present.PatchLocationListOutSize);
  NTSTATUS status = STATUS_SUCCESS;
  UINT index = present.MultipassOffset;
  for (; index < rectangles.count(); ++index) {
    const PixelRect rect = rectangles[index];
    if (rect.empty()) continue;
    if (!rect.Inside(destination)) return STATUS_INVALID_PARAMETER;
    status = write(writer, rect);
    if (status != STATUS_SUCCESS) break;
  }
  if (status != STATUS_SUCCESS && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
  present.pDmaBuffer = writer.dma_end();
  present.pPatchLocationListOut = writer.patch_end();
  present.MultipassOffset = index;
  return status;
}

NTSTATUS PresentCopy(DXGKARG_PRESENT& present) {
  const SurfaceReference source = ReferenceTo(present.pAllocationList, DXGK_PRESENT_SOURCE_INDEX);
  const SurfaceReference destination = ReferenceTo(present.pAllocationList, DXGK_PRESENT_DESTINATION_INDEX);
  if (source.data == nullptr || destination.data == nullptr) return STATUS_INVALID_HANDLE;
  if (!SameBits(source.data->format, destination.data->format)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  const PixelRect from = ToPixelRect(present.SrcRect);
  const PixelRect to = ToPixelRect(present.DstRect);
  if (from.width() != to.width() || from.height() != to.height()) return STATUS_NOT_SUPPORTED;  // no stretching
  return WriteRectangles(present, *destination.data, [&](SurfaceCommandWriter& writer, const PixelRect& rect) -> NTSTATUS {
    const std::int64_t left = rect.left - to.left + from.left;
    const std::int64_t top = rect.top - to.top + from.top;
    const PixelRect read{left, top, left + rect.width(), top + rect.height()};
    if (!read.Inside(*source.data)) return STATUS_INVALID_PARAMETER;
    return writer.Copy(source, left, top, destination, rect) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  });
}

NTSTATUS PresentFill(DXGKARG_PRESENT& present) {
  const SurfaceReference destination = ReferenceTo(present.pAllocationList, DXGK_PRESENT_DESTINATION_INDEX);
  if (destination.data == nullptr) return STATUS_INVALID_HANDLE;
  if (color::BytesPerPixel(destination.data->format) == 0) return STATUS_INVALID_PARAMETER;
  const std::uint64_t pixel = ToPixel(present.Color, destination.data->format);
  return WriteRectangles(present, *destination.data, [&](SurfaceCommandWriter& writer, const PixelRect& rect) -> NTSTATUS {
    return writer.Fill(destination, rect, pixel) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  });
}

// MMIO flips put nothing into a buffer; SetVidPnSourceAddress does the work.
NTSTATUS ValidateFlip(const Device& device, const DXGKARG_PRESENT& present) {
  const SurfaceReference source = ReferenceTo(present.pAllocationList, DXGK_PRESENT_SOURCE_INDEX);
  if (source.data == nullptr) return STATUS_INVALID_HANDLE;
  if (device.source_count() == 0 || !IsScanOutSurface(*source.data)) return STATUS_INVALID_PARAMETER;
  if (present.Flags.FlipWithNoWait != 0 || present.Flags.FlipStereo != 0 || present.Flags.FlipStereoTemporaryMono != 0) {
    return STATUS_NOT_SUPPORTED;
  }
  return STATUS_SUCCESS;
}

}  // namespace

NTSTATUS SoftPresent(HANDLE context, DXGKARG_PRESENT* present) {
  if (present->pAllocationList == nullptr || (present->SubRectCnt > 0 && present->pDstSubRects == nullptr)) {
    return STATUS_INVALID_PARAMETER;
  }
  const auto flags = present->Flags;
  if (flags.SrcColorKey != 0 || flags.DstColorKey != 0 || flags.Rotate != 0 || flags.LinearToSrgb != 0)
    return STATUS_NOT_SUPPORTED;
  if (flags.Flip != 0) return ValidateFlip(*static_cast<ContextHandle*>(context)->device, *present);
  if (present->pDmaBuffer == nullptr || present->pPatchLocationListOut == nullptr) return STATUS_INVALID_PARAMETER;
  if (flags.ColorFill != 0) return PresentFill(*present);
  if (flags.Blt != 0) return PresentCopy(*present);
  return STATUS_INVALID_PARAMETER;
}

}  // namespace tandem::soft
