// Present and Render: commands into DMA buffers.
#include <algorithm>
#include <cstring>

#include "drivers/vulkan/format.h"
#include "drivers/vulkan/kmd/commands.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

Allocation* Opened(const DXGK_ALLOCATIONLIST& entry) {
  return entry.hDeviceSpecificAllocation == nullptr ? nullptr
                                                    : static_cast<OpenedAllocation*>(entry.hDeviceSpecificAllocation)->allocation;
}

bool HasPixels(const Allocation& allocation) {
  return allocation.data().kind == AllocationKind::kImage || allocation.linear() != nullptr;
}

NTSTATUS CheckBlt(const DXGKARG_PRESENT& args, const Allocation* source, const Allocation* destination) {
  if (source == nullptr || destination == nullptr) return STATUS_INVALID_HANDLE;
  if (args.Flags.Rotate || args.Flags.SrcColorKey || args.Flags.DstColorKey || args.Flags.LinearToSrgb)
    return STATUS_NOT_SUPPORTED;
  const AllocationKind source_kind = source->data().kind;
  const AllocationKind destination_kind = destination->data().kind;
  if (source_kind == AllocationKind::kPrimary || source_kind == AllocationKind::kHeap ||
      destination_kind == AllocationKind::kHeap ||
      (destination_kind == AllocationKind::kPrimary && source_kind != AllocationKind::kLinear)) {
    return STATUS_NOT_SUPPORTED;
  }
  if (!HasPixels(*source) || (destination_kind != AllocationKind::kPrimary && !HasPixels(*destination))) return STATUS_NO_MEMORY;
  if (!SameBits(source->data().format, destination->data().format)) return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  const RECT& from = args.SrcRect;
  const RECT& to = args.DstRect;
  // Copies do not stretch.
  return from.right - from.left == to.right - to.left && from.bottom - from.top == to.bottom - to.top ? STATUS_SUCCESS
                                                                                                      : STATUS_NOT_SUPPORTED;
}

// The part of a destination rectangle that lies in both surfaces; false when nothing does.
bool Clip(const Allocation& source, const Allocation& destination, LONG offset_x, LONG offset_y, RECT& rect) {
  const auto& from = source.data();
  const auto& to = destination.data();
  rect.left = std::max({rect.left, LONG{0}, -offset_x});
  rect.top = std::max({rect.top, LONG{0}, -offset_y});
  rect.right = std::min({rect.right, static_cast<LONG>(to.width), static_cast<LONG>(from.width) - offset_x});
  rect.bottom = std::min({rect.bottom, static_cast<LONG>(to.height), static_cast<LONG>(from.height) - offset_y});
  return rect.left < rect.right && rect.top < rect.bottom;
}

NTSTATUS BuildBlt(DXGKARG_PRESENT& args, Allocation* source, Allocation* destination) {
  if (args.DmaSize < kDmaTokenBytes || args.DmaBufferPrivateDataSize < sizeof(CopyCommand) || args.PatchLocationListOutSize < 2) {
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  auto& command = *static_cast<CopyCommand*>(args.pDmaBufferPrivateData);
  command.header = {Opcode::kCopy, 0};
  command.source = source;
  command.destination = destination;
  command.rendered = source->RenderedValue();
  command.offset_x = args.SrcRect.left - args.DstRect.left;
  command.offset_y = args.SrcRect.top - args.DstRect.top;
  command.rect_count = 0;
  const auto room = static_cast<std::uint32_t>((args.DmaBufferPrivateDataSize - offsetof(CopyCommand, rects)) / sizeof(RECT));
  const UINT rects = args.SubRectCnt == 0 ? 1 : args.SubRectCnt;
  UINT next = args.MultipassOffset;
  for (; next < rects && command.rect_count < room; ++next) {
    RECT rect = args.SubRectCnt == 0 ? args.DstRect : args.pDstSubRects[next];
    if (Clip(*source, *destination, command.offset_x, command.offset_y, rect)) command.rects[command.rect_count++] = rect;
  }
  if (command.rect_count == 0) command.header.opcode = Opcode::kNop;
  args.pDmaBuffer = static_cast<std::byte*>(args.pDmaBuffer) + kDmaTokenBytes;
  for (const UINT index : {UINT{DXGK_PRESENT_SOURCE_INDEX}, UINT{DXGK_PRESENT_DESTINATION_INDEX}}) {
    *args.pPatchLocationListOut = {};
    args.pPatchLocationListOut->AllocationIndex = index;
    args.pPatchLocationListOut->PatchOffset = (index - 1) * sizeof(std::uint64_t);
    ++args.pPatchLocationListOut;
  }
  if (next == rects) return STATUS_SUCCESS;
  args.MultipassOffset = next;
  return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

}  // namespace

NTSTATUS VulkanPresent(HANDLE context, DXGKARG_PRESENT* args) {
  Miniport& miniport = *static_cast<Context*>(context)->miniport;
  if (miniport.lost()) return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE;
  Allocation* source = Opened(args->pAllocationList[DXGK_PRESENT_SOURCE_INDEX]);
  if (args->Flags.Flip) {
    if (source == nullptr) return STATUS_INVALID_HANDLE;
    return source->data().kind == AllocationKind::kPrimary ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_ALLOCATION_USAGE;
  }
  if (!args->Flags.Blt) return STATUS_NOT_SUPPORTED;
  Allocation* destination = Opened(args->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX]);
  const NTSTATUS status = CheckBlt(*args, source, destination);
  return NT_SUCCESS(status) ? BuildBlt(*args, source, destination) : status;
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
  args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + kDmaTokenBytes;
  *args->pPatchLocationListOut = {};
  args->pPatchLocationListOut->AllocationIndex = user.allocation;
  ++args->pPatchLocationListOut;
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
