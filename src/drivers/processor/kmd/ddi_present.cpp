// DxgkDdiPresent: copy, colour fill, and the validation of flips.
#include "color/blit.h"
#include "drivers/common/present_copy.h"
#include "drivers/common/present_rects.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/surface_commands.h"
#include "link/surface/link_surface.h"

namespace tandem::processor {
namespace {

using drivers::PixelRect;

bool IsScanOutSurface(const Device& device, const AllocationData& data) {
  return device.display().ScansOut(data.format) && (data.flags & (kAllocationPrimary | kAllocationCrossAdapter)) != 0;
}

// Calls `write(writer, rect)` for each rectangle that this pass has room for, and moves the kernel's pointers.
template <class Write>
NTSTATUS WriteRectangles(DXGKARG_PRESENT& present, const PixelRect& seen, const PixelRect& within, Write&& write) {
  SurfaceCommandWriter writer(present.pDmaBuffer, present.DmaSize, present.pPatchLocationListOut,
                              present.PatchLocationListOutSize);
  const NTSTATUS status = drivers::WriteRects(present, seen, within, [&](const PixelRect& rect) -> NTSTATUS {
    return write(writer, rect) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  });
  if (!drivers::IsBuilt(status)) return status;
  present.pDmaBuffer = writer.dma_end();
  present.pPatchLocationListOut = writer.patch_end();
  return status;
}

// A copy between two surfaces, before anything of it was checked.
struct Copy {
  SurfaceReference source;
  SurfaceReference destination;
  BlitMode mode;
  PixelRect seen;  // the destination as its clients see it
};

Copy ToCopy(const Device& device, const DXGKARG_PRESENT& present, const SurfaceReference& source,
            const SurfaceReference& destination) {
  Copy copy{source, destination, {}, {}};
  const color::Rotation path = device.RotationOf(*destination.allocation);
  static_cast<drivers::CopyTerms&>(copy.mode) =
      drivers::ReadCopyTerms(present, source.data->format, destination.data->format, path);
  copy.mode.dither = device.description().dithers;
  copy.mode.source = drivers::ToPixelRect(present.SrcRect);
  copy.mode.destination = drivers::ToPixelRect(present.DstRect);
  copy.seen = drivers::SeenAs(destination.data->width, destination.data->height, copy.mode.rotation);
  return copy;
}

NTSTATUS WriteBlit(DXGKARG_PRESENT& present, const Copy& copy) {
  return WriteRectangles(present, copy.seen, copy.mode.destination, [&](SurfaceCommandWriter& writer, const PixelRect& rect) {
    return writer.Blit(copy.source, copy.destination, copy.mode, rect);
  });
}

// Out of NV12, from even coordinates, as from kNv12Between.
NTSTATUS CheckNv12Decode(const Copy& copy) {
  const BlitMode& mode = copy.mode;
  const bool can = mode.key == color::ColorKey::kNone && ((mode.source.left | mode.source.top) & 1) == 0 &&
                   color::CanBlit(color::kNv12Between, copy.destination.data->format, mode.transfer);
  return can ? STATUS_SUCCESS : STATUS_GRAPHICS_CANNOTCOLORCONVERT;
}

NTSTATUS PresentNv12(DXGKARG_PRESENT& present, const Copy& copy) {
  const AllocationData& from = *copy.source.data;
  const bool encodes = drivers::IsNv12(copy.destination.data->format);
  NTSTATUS status = encodes ? drivers::CheckNv12Encode(present, copy.mode, from.format) : CheckNv12Decode(copy);
  if (NT_SUCCESS(status)) status = drivers::CheckStretch(present, from.width, from.height);
  return NT_SUCCESS(status) ? WriteBlit(present, copy) : status;
}

bool IsLinkSurface(const AllocationData& data) { return data.format == link::kLinkFormat; }

NTSTATUS PresentLink(DXGKARG_PRESENT& present, const Copy& copy) {
  const bool encodes = IsLinkSurface(*copy.destination.data);
  const SurfaceReference& picture = encodes ? copy.source : copy.destination;
  const SurfaceReference& surface = encodes ? copy.destination : copy.source;
  const PixelRect seen = drivers::SeenAs(picture.data->width, picture.data->height, copy.mode.rotation);
  const NTSTATUS status = drivers::CheckLinkPresent(
      present, copy.mode, {encodes, picture.data->format, seen, surface.data->width, surface.data->height});
  if (!NT_SUCCESS(status)) return status;
  return WriteRectangles(present, seen, copy.mode.destination, [&](SurfaceCommandWriter& writer, const PixelRect& rect) {
    return writer.Link(encodes ? Opcode::kEncode : Opcode::kDecode, picture, surface, rect, copy.mode.rotation);
  });
}

NTSTATUS PresentCopy(const Device& device, DXGKARG_PRESENT& present) {
  const SurfaceReference source = ReferenceTo(present.pAllocationList, DXGK_PRESENT_SOURCE_INDEX);
  const SurfaceReference destination = ReferenceTo(present.pAllocationList, DXGK_PRESENT_DESTINATION_INDEX);
  if (source.data == nullptr || destination.data == nullptr) return STATUS_INVALID_HANDLE;
  const Copy copy = ToCopy(device, present, source, destination);
  const color::Format from = source.data->format, to = destination.data->format;
  if (IsLinkSurface(*source.data) || IsLinkSurface(*destination.data)) return PresentLink(present, copy);
  if (drivers::IsNv12(from) || drivers::IsNv12(to)) return PresentNv12(present, copy);
  NTSTATUS status = drivers::CheckFormats(present, copy.mode, from, to);
  if (NT_SUCCESS(status)) status = drivers::CheckStretch(present, source.data->width, source.data->height);
  if (!NT_SUCCESS(status)) return status;
  if (!drivers::MovesBits(present, copy.mode, from, to)) return WriteBlit(present, copy);
  const std::int64_t x = copy.mode.source.left - copy.mode.destination.left;
  const std::int64_t y = copy.mode.source.top - copy.mode.destination.top;
  return WriteRectangles(present, copy.seen, copy.mode.destination, [&](SurfaceCommandWriter& writer, const PixelRect& rect) {
    return writer.Copy(source, rect.left + x, rect.top + y, destination, rect);
  });
}

NTSTATUS PresentFill(DXGKARG_PRESENT& present) {
  const SurfaceReference destination = ReferenceTo(present.pAllocationList, DXGK_PRESENT_DESTINATION_INDEX);
  if (destination.data == nullptr) return STATUS_INVALID_HANDLE;
  if (drivers::PixelBytes(destination.data->format) == 0) return STATUS_ILLEGAL_INSTRUCTION;
  const bool palette = destination.data->format == drivers::kPaletteFormat;  // then Color is an index
  const std::uint64_t pixel = palette ? present.Color & 0xFF : color::PixelOfArgb(present.Color, destination.data->format);
  const PixelRect whole = WholeOf(*destination.data);
  return WriteRectangles(present, whole, whole, [&](SurfaceCommandWriter& writer, const PixelRect& rect) {
    return writer.Fill(destination, rect, pixel);
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

NTSTATUS ProcessorPresent(HANDLE context, DXGKARG_PRESENT* present) {
  const Device& device = *static_cast<ContextHandle*>(context)->device;
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

}  // namespace tandem::processor
