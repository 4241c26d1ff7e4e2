// DxgkDdiPresent: copy, colour fill, and the validation of flips.
#include <utility>

#include "base/limits.h"
#include "color/blit.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/palette.h"
#include "drivers/soft/kmd/surface_commands.h"
#include "link/surface/link_surface.h"

namespace tandem::soft {
namespace {

PixelRect ToPixelRect(const RECT& rect) { return {rect.left, rect.top, rect.right, rect.bottom}; }

bool IsScanOutSurface(const Device& device, const AllocationData& data) {
  return device.ScansOut(data.format) && (data.flags & (kAllocationPrimary | kAllocationCrossAdapter)) != 0;
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

// Runs `write(rect)` for each rectangle from MultipassOffset on and keeps the kernel's pointers and the offset up to date. A
// rectangle is never split: one command holds it, whatever its size. `seen` is the destination as its clients see it.
template <class Write>
NTSTATUS WriteRectangles(DXGKARG_PRESENT& present, const PixelRect& seen, Write&& write) {
  const Rectangles rectangles(present);
  SurfaceCommandWriter writer(present.pDmaBuffer, present.DmaSize, present.pPatchLocationListOut,
                              present.PatchLocationListOutSize);
  NTSTATUS status = STATUS_SUCCESS;
  UINT index = present.MultipassOffset;
  for (; index < rectangles.count(); ++index) {
    const PixelRect rect = rectangles[index];
    if (rect.empty()) continue;
    if (!rect.Inside(seen)) return STATUS_PRIVILEGED_INSTRUCTION;
    status = write(writer, rect);
    if (status != STATUS_SUCCESS) break;
  }
  if (status != STATUS_SUCCESS && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) return status;
  present.pDmaBuffer = writer.dma_end();
  present.pPatchLocationListOut = writer.patch_end();
  present.MultipassOffset = index;
  return status;
}

PixelRect SurfaceRect(const AllocationData& surface) { return {0, 0, surface.width, surface.height}; }

// As its clients see it.
PixelRect SeenBy(const AllocationData& surface, color::Rotation rotation) {
  PixelRect seen = SurfaceRect(surface);
  if (color::IsQuarterTurn(rotation)) std::swap(seen.right, seen.bottom);
  return seen;
}

bool IsExtent(std::int64_t pixels) { return pixels > 0 && pixels <= std::int64_t{kMaxSurfaceExtent}; }

bool IsStretchable(const PixelRect& rect) { return IsExtent(rect.width()) && IsExtent(rect.height()); }

BlitMode ModeOf(const Device& device, const DXGKARG_PRESENT& present, const AllocationData& source,
                const AllocationData& destination, color::Rotation rotation) {
  BlitMode mode;
  mode.dither = device.description().dithers;
  mode.source = ToPixelRect(present.SrcRect);
  mode.destination = ToPixelRect(present.DstRect);
  mode.rotation = rotation;
  if (present.Flags.LinearToSrgb != 0) mode.transfer = color::Transfer::kLinearToSrgb;
  if (present.Flags.SrcColorKey != 0) {
    mode.key = color::ColorKey::kSkipSource;
    mode.key_pixel = color::PixelOfArgb(present.Color, source.format);
  } else if (present.Flags.DstColorKey != 0) {
    mode.key = color::ColorKey::kOnlyOver;
    mode.key_pixel = color::PixelOfArgb(present.Color, destination.format);
  }
  return mode;
}

bool MovesBits(const BlitMode& mode, const AllocationData& source, const AllocationData& destination) {
  return mode.source.width() == mode.destination.width() && mode.source.height() == mode.destination.height() &&
         mode.rotation == color::Rotation::kIdentity && mode.transfer == color::Transfer::kPassThrough &&
         mode.key == color::ColorKey::kNone &&
         (source.format == destination.format || SameBits(source.format, destination.format));
}

// Indexes are copied as they are, or become the colours of the palette of their surface's VidPn source: no colour has an index,
// and no colour key.
bool CanCopy(const BlitMode& mode, const AllocationData& source, const AllocationData& destination) {
  if (destination.format == kPaletteFormat) return source.format == kPaletteFormat && MovesBits(mode, source, destination);
  if (source.format != kPaletteFormat) return color::CanBlit(source.format, destination.format, mode.transfer);
  return mode.key != color::ColorKey::kSkipSource && color::CanBlit(kPaletteColors, destination.format, mode.transfer);
}

bool IsEven(const PixelRect& rect) { return ((rect.left | rect.top | rect.right | rect.bottom) & 1) == 0; }

// Into NV12 whatever becomes B8G8R8A8, by rectangles that share no chroma with what is left alone; out of it as from B8G8R8A8.
NTSTATUS PresentNv12(Device& device, DXGKARG_PRESENT& present, const SurfaceReference& source,
                     const SurfaceReference& destination) {
  const bool encodes = IsNv12(destination.data->format);
  const color::Format from = encodes ? source.data->format : color::kNv12Between;
  const color::Format to = encodes ? color::kNv12Between : destination.data->format;
  const color::Rotation rotation =
      present.Flags.Rotate != 0 ? device.RotationOf(*destination.allocation) : color::Rotation::kIdentity;
  const BlitMode mode = ModeOf(device, present, *source.data, *destination.data, rotation);
  if (IsNv12(source.data->format) == encodes || mode.key != color::ColorKey::kNone || !color::CanBlit(from, to, mode.transfer) ||
      (!encodes && ((mode.source.left | mode.source.top) & 1) != 0)) {
    return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  }
  if (!IsStretchable(mode.destination) || !mode.source.Inside(SurfaceRect(*source.data))) return STATUS_PRIVILEGED_INSTRUCTION;
  return WriteRectangles(
      present, SeenBy(*destination.data, rotation), [&](SurfaceCommandWriter& writer, const PixelRect& rect) -> NTSTATUS {
        if (!rect.Inside(mode.destination)) return STATUS_PRIVILEGED_INSTRUCTION;
        if (encodes && !IsEven(rect)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
        return writer.Blit(source, destination, mode, rect) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      });
}

bool IsLinkSurface(const AllocationData& data) { return data.format == link::kLinkFormat; }

// Into a link surface and out of it: whole rows between surfaces of one extent, as they are or, out of it, turned.
NTSTATUS PresentLink(const Device& device, DXGKARG_PRESENT& present, const SurfaceReference& source,
                     const SurfaceReference& destination) {
  const bool encodes = IsLinkSurface(*destination.data);
  const SurfaceReference& picture = encodes ? source : destination;
  const SurfaceReference& surface = encodes ? destination : source;
  const color::Rotation rotation =
      present.Flags.Rotate != 0 ? device.RotationOf(*destination.allocation) : color::Rotation::kIdentity;
  const BlitMode mode = ModeOf(device, present, *source.data, *destination.data, rotation);
  const bool plain = mode.transfer == color::Transfer::kPassThrough && mode.key == color::ColorKey::kNone &&
                     !(encodes && present.Flags.Rotate != 0) && link::CanCrossLink(picture.data->format) &&
                     (encodes || link::ComesOutOfLink(picture.data->format));
  if (!plain) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  const PixelRect whole = SeenBy(*picture.data, rotation);
  const auto moved = [](const PixelRect& a, const PixelRect& b) { return a.left != b.left || a.top != b.top; };
  if (whole.right != surface.data->width || whole.bottom != surface.data->height || !mode.source.Inside(whole) ||
      !mode.destination.Inside(whole) || moved(mode.source, mode.destination)) {
    return STATUS_PRIVILEGED_INSTRUCTION;
  }
  return WriteRectangles(present, whole, [&](SurfaceCommandWriter& writer, const PixelRect& rect) -> NTSTATUS {
    if (rect.left != 0 || rect.right != whole.right || !rect.Inside(mode.destination)) return STATUS_PRIVILEGED_INSTRUCTION;
    return writer.Link(encodes ? Opcode::kEncode : Opcode::kDecode, picture, surface, rect, rotation)
               ? STATUS_SUCCESS
               : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  });
}

NTSTATUS PresentCopy(Device& device, DXGKARG_PRESENT& present) {
  const SurfaceReference source = ReferenceTo(present.pAllocationList, DXGK_PRESENT_SOURCE_INDEX);
  const SurfaceReference destination = ReferenceTo(present.pAllocationList, DXGK_PRESENT_DESTINATION_INDEX);
  if (source.data == nullptr || destination.data == nullptr) return STATUS_INVALID_HANDLE;
  if (IsLinkSurface(*source.data) || IsLinkSurface(*destination.data)) return PresentLink(device, present, source, destination);
  if (IsNv12(source.data->format) || IsNv12(destination.data->format)) return PresentNv12(device, present, source, destination);
  const color::Rotation rotation =
      present.Flags.Rotate != 0 ? device.RotationOf(*destination.allocation) : color::Rotation::kIdentity;
  const BlitMode mode = ModeOf(device, present, *source.data, *destination.data, rotation);
  if (!CanCopy(mode, *source.data, *destination.data)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (!IsStretchable(mode.destination) || !mode.source.Inside(SurfaceRect(*source.data))) return STATUS_PRIVILEGED_INSTRUCTION;
  const bool moves_bits = MovesBits(mode, *source.data, *destination.data);
  return WriteRectangles(
      present, SeenBy(*destination.data, rotation), [&](SurfaceCommandWriter& writer, const PixelRect& rect) -> NTSTATUS {
        if (!rect.Inside(mode.destination)) return STATUS_PRIVILEGED_INSTRUCTION;
        const bool written = moves_bits ? writer.Copy(source, rect.left - mode.destination.left + mode.source.left,
                                                      rect.top - mode.destination.top + mode.source.top, destination, rect)
                                        : writer.Blit(source, destination, mode, rect);
        return written ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      });
}

NTSTATUS PresentFill(DXGKARG_PRESENT& present) {
  const SurfaceReference destination = ReferenceTo(present.pAllocationList, DXGK_PRESENT_DESTINATION_INDEX);
  if (destination.data == nullptr) return STATUS_INVALID_HANDLE;
  if (PixelBytes(destination.data->format) == 0) return STATUS_ILLEGAL_INSTRUCTION;
  const bool palette = destination.data->format == kPaletteFormat;  // then Color is an index
  const std::uint64_t pixel = palette ? present.Color & 0xFF : color::PixelOfArgb(present.Color, destination.data->format);
  return WriteRectangles(
      present, SurfaceRect(*destination.data), [&](SurfaceCommandWriter& writer, const PixelRect& rect) -> NTSTATUS {
        return writer.Fill(destination, rect, pixel) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      });
}

// MMIO flips put nothing into a buffer; SetVidPnSourceAddress does the work.
NTSTATUS ValidateFlip(const Device& device, const DXGKARG_PRESENT& present) {
  const SurfaceReference source = ReferenceTo(present.pAllocationList, DXGK_PRESENT_SOURCE_INDEX);
  if (source.data == nullptr) return STATUS_INVALID_HANDLE;
  if (device.source_count() == 0 || !IsScanOutSurface(device, *source.data)) return STATUS_ILLEGAL_INSTRUCTION;
  const bool stereo = present.Flags.FlipStereo != 0 || present.Flags.FlipStereoTemporaryMono != 0;
  return present.Flags.FlipWithNoWait != 0 || stereo ? STATUS_ILLEGAL_INSTRUCTION : STATUS_SUCCESS;
}

}  // namespace

NTSTATUS SoftPresent(HANDLE context, DXGKARG_PRESENT* present) {
  Device& device = *static_cast<ContextHandle*>(context)->device;
  if (present->pAllocationList == nullptr || (present->SubRectCnt > 0 && present->pDstSubRects == nullptr)) {
    return STATUS_INVALID_HANDLE;
  }
  const auto flags = present->Flags;
  const bool flips = flags.Flip != 0;
  BeginBufferData(present->pDmaBufferPrivateData, present->DmaBufferPrivateDataSize,
                  flips ? nullptr : ReferenceTo(present->pAllocationList, DXGK_PRESENT_DESTINATION_INDEX).allocation);
  if (flips) return ValidateFlip(device, *present);
  if (present->pDmaBuffer == nullptr || present->pPatchLocationListOut == nullptr) return STATUS_INVALID_HANDLE;
  if (flags.ColorFill != 0) return PresentFill(*present);
  if (flags.Blt != 0) return PresentCopy(device, *present);
  return STATUS_ILLEGAL_INSTRUCTION;
}

}  // namespace tandem::soft
