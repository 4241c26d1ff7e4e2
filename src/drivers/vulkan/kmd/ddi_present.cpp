// Present and Render: commands into DMA buffers.
#include <cstring>

#include "base/log.h"
#include "color/blit.h"
#include "drivers/common/present_copy.h"
#include "drivers/common/present_rects.h"
#include "drivers/vulkan/gpu/command_buffer.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/link/link_blit.h"

namespace tandem::vulkan {
namespace {

using drivers::CopyTerms;
using drivers::PixelRect;

Allocation* Opened(const DXGK_ALLOCATIONLIST& entry) {
  return entry.hDeviceSpecificAllocation == nullptr ? nullptr
                                                    : static_cast<OpenedAllocation*>(entry.hDeviceSpecificAllocation)->allocation;
}

PixelRect WholeOf(const Allocation& surface) { return drivers::WholeOf(surface.data().width, surface.data().height); }

PixelRect SeenAs(const Allocation& surface, color::Rotation rotation) {
  return drivers::SeenAs(surface.data().width, surface.data().height, rotation);
}

bool IsPrimary(const Allocation& allocation) { return allocation.data().kind == AllocationKind::kPrimary; }
// An image that the program did not ask to be copied to.
bool TakesNoCopies(const Allocation& allocation) {
  return allocation.data().kind == AllocationKind::kImage &&
         (allocation.data().image_usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) == 0;
}
// Its pixels are the window's alone: it is not read, and takes whole frames only.
bool HasNoShadow(const Allocation& allocation) { return IsPrimary(allocation) && (allocation.data().flags & kFramesOnly) != 0; }

// True when every pixel of `picture` is written, so that what was there before does not matter.
bool WritesAll(const DXGKARG_PRESENT& args, const PixelRect& picture) {
  if (args.Flags.SrcColorKey || args.Flags.DstColorKey) return false;
  if (args.Flags.Blt && !picture.Inside(drivers::ToPixelRect(args.DstRect))) return false;
  return drivers::PresentRects(args).Any([&](const PixelRect& rect) { return picture.Inside(rect); });
}

// STATUS_ILLEGAL_INSTRUCTION for allocations that are never copied between, whatever the formats and rectangles.
NTSTATUS CheckKinds(const Allocation& source, const Allocation& destination) {
  const bool heap = source.data().kind == AllocationKind::kHeap || destination.data().kind == AllocationKind::kHeap;
  return heap || HasNoShadow(source) || TakesNoCopies(destination) ? STATUS_ILLEGAL_INSTRUCTION : STATUS_SUCCESS;
}

// A copy that needs neither arithmetic nor an order: the device's own commands do it.
bool IsPlain(const DXGKARG_PRESENT& args, const CopyTerms& terms, const Allocation& source, const Allocation& destination) {
  const bool window = IsPrimary(destination);
  return &source != &destination && drivers::MovesBits(args, terms, source.data().format, destination.data().format) &&
         !IsPrimary(source) && (!window || (HasNoShadow(destination) && source.data().kind == AllocationKind::kLinear));
}

NTSTATUS BuildCopy(DXGKARG_PRESENT& args, Allocation& source, Allocation& destination) {
  CommandBuffer<CopyCommand> buffer(args);
  if (!buffer.Fits()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  const PixelRect from = drivers::ToPixelRect(args.SrcRect), to = drivers::ToPixelRect(args.DstRect);
  CopyCommand& command = buffer.Begin();
  command.source = &source;
  command.destination = &destination;
  command.rendered = source.RenderedValue();
  command.offset_x = static_cast<LONG>(from.left - to.left);
  command.offset_y = static_cast<LONG>(from.top - to.top);
  const NTSTATUS status = buffer.AddRects(WholeOf(destination), to);
  if (drivers::IsBuilt(status)) command.use = source.NoteBuilt();
  return status;
}

// Treatment of colours of more precision than the copy's destination has.
enum class Dither : std::uint8_t { kOff, kOn };

NTSTATUS BuildBlit(DXGKARG_PRESENT& args, const CopyTerms& terms, Allocation& source, Allocation& destination, Dither dither) {
  CommandBuffer<BlitCommand> buffer(args);
  if (!buffer.Fits()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  BlitCommand& command = buffer.Begin();
  command.source = &source;
  command.destination = &destination;
  command.rendered = source.RenderedValue();
  command.from = args.SrcRect;
  command.to = args.DstRect;
  command.rotation = terms.rotation;
  command.transfer = terms.transfer;
  command.key = terms.key;
  command.pixel = terms.key_pixel;
  command.dither = dither == Dither::kOn;
  const NTSTATUS status = buffer.AddRects(SeenAs(destination, terms.rotation), drivers::ToPixelRect(args.DstRect));
  if (drivers::IsBuilt(status)) command.use = source.NoteBuilt();
  return status;
}

NTSTATUS PresentLink(DXGKARG_PRESENT& args, const CopyTerms& terms, Allocation& source, Allocation& destination) {
  const bool encodes = IsLinkSurface(destination);
  const Allocation& picture = encodes ? source : destination;
  const AllocationData& surface = (encodes ? destination : source).data();
  if (picture.data().kind == AllocationKind::kHeap || HasNoShadow(picture)) return STATUS_ILLEGAL_INSTRUCTION;
  const NTSTATUS status = drivers::CheckLinkPresent(
      args, terms, {encodes, picture.data().format, SeenAs(picture, terms.rotation), surface.width, surface.height});
  return NT_SUCCESS(status) ? BuildBlit(args, terms, source, destination, Dither::kOff) : status;
}

// Into NV12; nothing is read out of it.
NTSTATUS PresentNv12(DXGKARG_PRESENT& args, const CopyTerms& terms, Allocation& source, Allocation& destination) {
  NTSTATUS status = drivers::CheckNv12Encode(args, terms, source.data().format);
  if (NT_SUCCESS(status)) status = CheckKinds(source, destination);
  if (NT_SUCCESS(status)) status = drivers::CheckStretch(args, source.data().width, source.data().height);
  return NT_SUCCESS(status) ? BuildBlit(args, terms, source, destination, Dither::kOff) : status;
}

NTSTATUS PresentCopy(const Miniport& miniport, DXGKARG_PRESENT& args) {
  Allocation* source = Opened(args.pAllocationList[DXGK_PRESENT_SOURCE_INDEX]);
  Allocation* destination = Opened(args.pAllocationList[DXGK_PRESENT_DESTINATION_INDEX]);
  if (source == nullptr || destination == nullptr) return STATUS_INVALID_HANDLE;
  const color::Format from = source->data().format, to = destination->data().format;
  const CopyTerms terms = drivers::ReadCopyTerms(args, from, to, miniport.RotationOf(*destination));
  if (IsLinkSurface(*source) || IsLinkSurface(*destination)) return PresentLink(args, terms, *source, *destination);
  if (drivers::IsNv12(to)) return PresentNv12(args, terms, *source, *destination);
  NTSTATUS status = CheckKinds(*source, *destination);
  if (NT_SUCCESS(status)) status = drivers::CheckFormats(args, terms, from, to);
  if (NT_SUCCESS(status)) status = drivers::CheckStretch(args, source->data().width, source->data().height);
  if (!NT_SUCCESS(status)) return status;
  if (HasNoShadow(*destination) && !WritesAll(args, SeenAs(*destination, terms.rotation))) {
    Log(LogLevel::kWarn,
        "A primary of whole frames keeps no pixels: a copy to a part of its {} x {} is refused, because nobody knows the rest.",
        destination->data().width, destination->data().height);
    return STATUS_ILLEGAL_INSTRUCTION;
  }
  if (IsPlain(args, terms, *source, *destination)) return BuildCopy(args, *source, *destination);
  return BuildBlit(args, terms, *source, *destination, miniport.description().dithers ? Dither::kOn : Dither::kOff);
}

NTSTATUS PresentFill(DXGKARG_PRESENT& args) {
  Allocation* destination = Opened(args.pAllocationList[DXGK_PRESENT_DESTINATION_INDEX]);
  if (destination == nullptr) return STATUS_INVALID_HANDLE;
  const AllocationData& surface = destination->data();
  const bool drawn =
      drivers::PixelBytes(surface.format) != 0 && (!HasNoShadow(*destination) || WritesAll(args, WholeOf(*destination)));
  if (!drawn || TakesNoCopies(*destination)) return STATUS_ILLEGAL_INSTRUCTION;
  CommandBuffer<BlitCommand> buffer(args);
  if (!buffer.Fits()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  BlitCommand& command = buffer.Begin();
  command.destination = destination;
  const bool palette = surface.format == drivers::kPaletteFormat;  // then Color is an index
  command.pixel = palette ? args.Color & 0xFF : color::PixelOfArgb(args.Color, surface.format);
  const PixelRect whole = WholeOf(*destination);
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
