// Present and Render: commands into DMA buffers.
#include <algorithm>
#include <cstring>

#include "base/limits.h"
#include "base/log.h"
#include "color/blit.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/gpu/command_buffer.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/link/link_blit.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

Allocation* Opened(const DXGK_ALLOCATIONLIST& entry) {
  return entry.hDeviceSpecificAllocation == nullptr ? nullptr
                                                    : static_cast<OpenedAllocation*>(entry.hDeviceSpecificAllocation)->allocation;
}

RECT WholeOf(std::uint32_t width, std::uint32_t height) { return {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)}; }
bool IsStretchable(const RECT& rect) {
  constexpr LONG kMost = kMaxSurfaceExtent;
  return !IsEmpty(rect) && rect.right - rect.left <= kMost && rect.bottom - rect.top <= kMost;
}

bool IsSameExtent(const RECT& a, const RECT& b) {
  return a.right - a.left == b.right - b.left && a.bottom - a.top == b.bottom - b.top;
}

bool IsPrimary(const Allocation& allocation) { return allocation.data().kind == AllocationKind::kPrimary; }
// An image that the program did not ask to be copied to.
bool TakesNoCopies(const Allocation& allocation) {
  return allocation.data().kind == AllocationKind::kImage &&
         (allocation.data().image_usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0;
}
// Its pixels are the window's alone: it is not read, and takes whole frames only.
bool HasNoShadow(const Allocation& allocation) { return IsPrimary(allocation) && (allocation.data().flags & kFramesOnly) != 0; }

// Every pixel of a picture of that extent is written, so that what was there before does not matter.
bool WritesAll(const DXGKARG_PRESENT& args, std::uint32_t width, std::uint32_t height) {
  const RECT whole = WholeOf(width, height);
  if (args.Flags.SrcColorKey || args.Flags.DstColorKey || (args.Flags.Blt && !Inside(whole, args.DstRect))) return false;
  if (args.SubRectCnt == 0) return Inside(whole, args.DstRect);
  return std::any_of(args.pDstSubRects, args.pDstSubRects + args.SubRectCnt,
                     [&](const RECT& rect) { return Inside(whole, rect); });
}

// What stands in the way of a copy between the two, whatever the rectangles.
NTSTATUS CheckSurfaces(const Allocation& source, const Allocation& destination, color::Transfer transfer) {
  const AllocationData& from = source.data();
  const AllocationData& to = destination.data();
  if (from.kind == AllocationKind::kHeap || to.kind == AllocationKind::kHeap) return STATUS_ILLEGAL_INSTRUCTION;
  // Of a palette there is only the way to colours (CheckIndexes).
  const color::Format seen = from.format == kPaletteFormat ? kShownPaletteFormat : from.format;
  const bool indexes = to.format == kPaletteFormat && from.format == kPaletteFormat;
  if (!indexes && !color::CanBlit(seen, to.format, transfer)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (HasNoShadow(source) || TakesNoCopies(destination)) return STATUS_ILLEGAL_INSTRUCTION;
  return STATUS_SUCCESS;
}

color::Transfer TransferOf(const DXGKARG_PRESENT& args) {
  return args.Flags.LinearToSrgb ? color::Transfer::kLinearToSrgb : color::Transfer::kPassThrough;
}

// Indexes are copied as they are: no colour has one. As colours they are stretched and turned like others; a colour key has no
// index either.
NTSTATUS CheckIndexes(const DXGKARG_PRESENT& args, const Allocation& source, const Allocation& destination,
                      color::Rotation rotation) {
  if (source.data().format != kPaletteFormat) return STATUS_SUCCESS;
  if (args.Flags.SrcColorKey) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (destination.data().format != kPaletteFormat) return STATUS_SUCCESS;
  const bool moves = IsSameExtent(args.SrcRect, args.DstRect) && rotation == color::Rotation::kIdentity &&
                     TransferOf(args) == color::Transfer::kPassThrough && !args.Flags.DstColorKey;
  return moves ? STATUS_SUCCESS : STATUS_GRAPHICS_CANNOTCOLORCONVERT;
}

// A copy that needs neither arithmetic nor an order: the device's own commands do it.
bool IsPlain(const DXGKARG_PRESENT& args, const Allocation& source, const Allocation& destination, color::Rotation rotation) {
  const bool window = IsPrimary(destination);
  const bool same_bits =
      source.data().format == destination.data().format || color::SameBits(source.data().format, destination.data().format);
  return &source != &destination && rotation == color::Rotation::kIdentity && TransferOf(args) == color::Transfer::kPassThrough &&
         !args.Flags.SrcColorKey && !args.Flags.DstColorKey && IsSameExtent(args.SrcRect, args.DstRect) && same_bits &&
         !IsPrimary(source) && (!window || (HasNoShadow(destination) && source.data().kind == AllocationKind::kLinear));
}

// The buffer will be submitted, with all or as much as fits.
bool IsBuilt(NTSTATUS status) { return NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; }

NTSTATUS BuildCopy(DXGKARG_PRESENT& args, Allocation& source, Allocation& destination) {
  CommandBuffer<CopyCommand> buffer(args);
  if (!buffer.Fits()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  CopyCommand& command = buffer.Begin();
  command.source = &source;
  command.destination = &destination;
  command.rendered = source.RenderedValue();
  command.offset_x = args.SrcRect.left - args.DstRect.left;
  command.offset_y = args.SrcRect.top - args.DstRect.top;
  const NTSTATUS status = buffer.AddRects(WholeOf(destination.data().width, destination.data().height), args.DstRect);
  if (IsBuilt(status)) command.use = source.NoteBuilt();
  return status;
}

NTSTATUS BuildBlit(DXGKARG_PRESENT& args, Allocation& source, Allocation& destination, color::Rotation rotation) {
  CommandBuffer<BlitCommand> buffer(args);
  if (!buffer.Fits()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  BlitCommand& command = buffer.Begin();
  command.source = &source;
  command.destination = &destination;
  command.rendered = source.RenderedValue();
  command.from = args.SrcRect;
  command.to = args.DstRect;
  command.rotation = rotation;
  command.transfer = TransferOf(args);
  if (args.Flags.SrcColorKey) {
    command.key = color::ColorKey::kSkipSource;
    command.pixel = color::PixelOfArgb(args.Color, source.data().format);
  } else if (args.Flags.DstColorKey) {
    command.key = color::ColorKey::kOnlyOver;
    command.pixel = color::PixelOfArgb(args.Color, destination.data().format);
  }
  const PictureExtent picture = PictureOf(destination.data().width, destination.data().height, rotation);
  const NTSTATUS status = buffer.AddRects(WholeOf(picture.width, picture.height), args.DstRect);
  if (IsBuilt(status)) command.use = source.NoteBuilt();
  return status;
}

// Into a link surface and out of it: whole rows between surfaces of one extent, as they are or, out of it, turned.
NTSTATUS PresentLink(const Miniport& miniport, DXGKARG_PRESENT& args, Allocation& source, Allocation& destination) {
  const bool encodes = IsLinkSurface(destination);
  const Allocation& picture = encodes ? source : destination;
  const Allocation& surface = encodes ? destination : source;
  const AllocationData& seen = picture.data();
  if (!link::CanCrossLink(seen.format) || (!encodes && !link::ComesOutOfLink(seen.format)) || (encodes && args.Flags.Rotate) ||
      args.Flags.SrcColorKey || args.Flags.DstColorKey || args.Flags.LinearToSrgb) {
    return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  }
  if (seen.kind == AllocationKind::kHeap || HasNoShadow(picture)) return STATUS_ILLEGAL_INSTRUCTION;
  const color::Rotation rotation = args.Flags.Rotate ? miniport.RotationOf(destination) : color::Rotation::kIdentity;
  const PictureExtent extent = PictureOf(seen.width, seen.height, rotation);
  const RECT whole = WholeOf(extent.width, extent.height);
  if (extent.width != surface.data().width || extent.height != surface.data().height || !Inside(args.SrcRect, whole) ||
      !Inside(args.DstRect, whole) || args.SrcRect.left != args.DstRect.left || args.SrcRect.top != args.DstRect.top) {
    return STATUS_PRIVILEGED_INSTRUCTION;
  }
  if (args.SubRectCnt == 0 && (args.DstRect.left != 0 || args.DstRect.right != whole.right)) return STATUS_PRIVILEGED_INSTRUCTION;
  for (UINT i = 0; i < args.SubRectCnt; ++i) {
    if (args.pDstSubRects[i].left != 0 || args.pDstSubRects[i].right != whole.right) return STATUS_PRIVILEGED_INSTRUCTION;
  }
  return BuildBlit(args, source, destination, rotation);
}

bool IsEven(const RECT& rect) { return ((rect.left | rect.top | rect.right | rect.bottom) & 1) == 0; }

// Into NV12 whatever becomes B8G8R8A8, by rectangles that share no chroma with what is left alone. Nothing comes out of it.
NTSTATUS PresentNv12(DXGKARG_PRESENT& args, Allocation& source, Allocation& destination) {
  const bool even =
      args.SubRectCnt == 0 ? IsEven(args.DstRect) : std::all_of(args.pDstSubRects, args.pDstSubRects + args.SubRectCnt, &IsEven);
  if (!even || !color::CanBlit(source.data().format, color::kNv12Between, TransferOf(args)) || args.Flags.Rotate ||
      args.Flags.SrcColorKey || args.Flags.DstColorKey) {
    return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  }
  if (source.data().kind == AllocationKind::kHeap || HasNoShadow(source)) return STATUS_ILLEGAL_INSTRUCTION;
  if (!IsStretchable(args.DstRect) || IsEmpty(args.SrcRect) ||
      !Inside(args.SrcRect, WholeOf(source.data().width, source.data().height))) {
    return STATUS_PRIVILEGED_INSTRUCTION;
  }
  return BuildBlit(args, source, destination, color::Rotation::kIdentity);
}

NTSTATUS PresentCopy(Miniport& miniport, DXGKARG_PRESENT& args) {
  Allocation* source = Opened(args.pAllocationList[DXGK_PRESENT_SOURCE_INDEX]);
  Allocation* destination = Opened(args.pAllocationList[DXGK_PRESENT_DESTINATION_INDEX]);
  if (source == nullptr || destination == nullptr) return STATUS_INVALID_HANDLE;
  if (IsLinkSurface(*source) || IsLinkSurface(*destination)) return PresentLink(miniport, args, *source, *destination);
  if (IsNv12(destination->data().format)) return PresentNv12(args, *source, *destination);
  if (const NTSTATUS status = CheckSurfaces(*source, *destination, TransferOf(args)); !NT_SUCCESS(status)) return status;
  if (!IsStretchable(args.DstRect) || IsEmpty(args.SrcRect) ||
      !Inside(args.SrcRect, WholeOf(source->data().width, source->data().height))) {
    return STATUS_PRIVILEGED_INSTRUCTION;
  }
  const color::Rotation rotation = args.Flags.Rotate ? miniport.RotationOf(*destination) : color::Rotation::kIdentity;
  if (const NTSTATUS status = CheckIndexes(args, *source, *destination, rotation); !NT_SUCCESS(status)) return status;
  const PictureExtent picture = PictureOf(destination->data().width, destination->data().height, rotation);
  if (HasNoShadow(*destination) && !WritesAll(args, picture.width, picture.height)) {
    Log(LogLevel::kWarn,
        "A primary of whole frames keeps no pixels: a copy to a part of its {} x {} is refused, because nobody knows the rest.",
        destination->data().width, destination->data().height);
    return STATUS_ILLEGAL_INSTRUCTION;
  }
  if (IsPlain(args, *source, *destination, rotation)) return BuildCopy(args, *source, *destination);
  return BuildBlit(args, *source, *destination, rotation);
}

NTSTATUS PresentFill(DXGKARG_PRESENT& args) {
  Allocation* destination = Opened(args.pAllocationList[DXGK_PRESENT_DESTINATION_INDEX]);
  if (destination == nullptr) return STATUS_INVALID_HANDLE;
  const AllocationData& surface = destination->data();
  const bool drawn =
      PixelBytes(surface.format) != 0 && (!HasNoShadow(*destination) || WritesAll(args, surface.width, surface.height));
  if (!drawn || TakesNoCopies(*destination)) return STATUS_ILLEGAL_INSTRUCTION;
  CommandBuffer<BlitCommand> buffer(args);
  if (!buffer.Fits()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  BlitCommand& command = buffer.Begin();
  command.destination = destination;
  const bool palette = surface.format == kPaletteFormat;  // then Color is an index
  command.pixel = palette ? args.Color & 0xFF : color::PixelOfArgb(args.Color, surface.format);
  const RECT whole = WholeOf(destination->data().width, destination->data().height);
  return buffer.AddRects(whole, whole);
}

// MMIO flips put nothing into a buffer; SetVidPnSourceAddress does the work.
NTSTATUS ValidateFlip(const DXGKARG_PRESENT& args) {
  const Allocation* source = Opened(args.pAllocationList[DXGK_PRESENT_SOURCE_INDEX]);
  if (source == nullptr) return STATUS_INVALID_HANDLE;
  const bool stereo = args.Flags.FlipStereo || args.Flags.FlipStereoTemporaryMono;
  return !IsPrimary(*source) || args.Flags.FlipWithNoWait || stereo ? STATUS_ILLEGAL_INSTRUCTION : STATUS_SUCCESS;
}

}  // namespace

NTSTATUS VulkanPresent(HANDLE context, DXGKARG_PRESENT* args) {
  Miniport& miniport = *static_cast<Context*>(context)->miniport;
  if (miniport.lost()) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  if (args->pAllocationList == nullptr || (args->SubRectCnt > 0 && args->pDstSubRects == nullptr)) return STATUS_INVALID_HANDLE;
  if (args->Flags.Flip) return ValidateFlip(*args);
  if (args->pDmaBuffer == nullptr || args->pDmaBufferPrivateData == nullptr || args->pPatchLocationListOut == nullptr) {
    return STATUS_INVALID_HANDLE;
  }
  if (args->Flags.ColorFill) return PresentFill(*args);
  if (args->Flags.Blt) return PresentCopy(miniport, *args);
  return STATUS_ILLEGAL_INSTRUCTION;
}

NTSTATUS VulkanRender(HANDLE context, DXGKARG_RENDER* args) {
  Miniport& miniport = *static_cast<Context*>(context)->miniport;
  if (miniport.lost()) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  if (args->pCommand == nullptr || args->CommandLength != sizeof(UserFlush)) return STATUS_INVALID_USER_BUFFER;
  UserFlush user;
  std::memcpy(&user, args->pCommand, sizeof(user));
  if (user.magic != UserFlush::kMagic || user.allocation >= args->AllocationListSize) return STATUS_ILLEGAL_INSTRUCTION;
  if (args->DmaSize < kDmaTokenBytes || args->DmaBufferPrivateDataSize < sizeof(FlushCommand) ||
      args->PatchLocationListOutSize < 1) {
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  Allocation* allocation = Opened(args->pAllocationList[user.allocation]);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  auto& command = *static_cast<FlushCommand*>(args->pDmaBufferPrivateData);
  command.header = {Opcode::kFlush, 0};
  command.allocation = allocation;
  command.rendered = allocation->RenderedValue();
  command.use = allocation->NoteBuilt();
  args->pDmaBufferPrivateData = static_cast<std::byte*>(args->pDmaBufferPrivateData) + sizeof(FlushCommand);
  const DmaToken token;
  std::memcpy(args->pDmaBuffer, &token, sizeof(token));
  args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + kDmaTokenBytes;
  *args->pPatchLocationListOut = {};
  args->pPatchLocationListOut->AllocationIndex = user.allocation;
  ++args->pPatchLocationListOut;
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
