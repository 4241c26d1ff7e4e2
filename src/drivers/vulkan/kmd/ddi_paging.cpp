// DxgkDdiBuildPagingBuffer and the backing stores that the kernel shares with the driver.
#include <cstring>

#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

NTSTATUS Append(DXGKARG_BUILDPAGINGBUFFER& paging, const PagingCommand& command) {
  if (paging.DmaSize < sizeof(command)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  std::memcpy(paging.pDmaBuffer, &command, sizeof(command));
  paging.pDmaBuffer = static_cast<std::byte*>(paging.pDmaBuffer) + sizeof(command);
  return STATUS_SUCCESS;
}

// MdlOffset: pages into the MDL at which this operation begins.
std::byte* PagesOf(const MDL& mdl, ULONG offset_pages) {
  return static_cast<std::byte*>(MmGetMdlVirtualAddress(&mdl)) + std::uint64_t{offset_pages} * PAGE_SIZE;
}

// Memory that is no allocation's is nothing to this driver: its commands name allocations.
NTSTATUS MapAperture(DXGKARG_BUILDPAGINGBUFFER& paging) {
  const auto& map = paging.MapApertureSegment;
  if (map.hAllocation == nullptr) return STATUS_SUCCESS;
  auto* allocation = static_cast<Allocation*>(map.hAllocation);
  PagingCommand command;
  command.opcode = PagingOpcode::kMap;
  command.allocation = allocation;
  command.pages = PagesOf(*map.pMdl, map.MdlOffset);
  command.bytes = std::uint64_t{map.NumberOfPages} * PAGE_SIZE;
  // An operation for a part of the allocation begins where its MDL's part does.
  command.offset = command.bytes >= allocation->data().size ? 0 : std::uint64_t{map.MdlOffset} * PAGE_SIZE;
  command.fd = map.pMdl->BackingFd;
  command.fd_offset = map.pMdl->BackingOffset + map.pMdl->ByteOffset + std::uint64_t{map.MdlOffset} * PAGE_SIZE;
  command.is_dma_buf = map.pMdl->BackingIsDmaBuf;
  return Append(paging, command);
}

NTSTATUS UnmapAperture(DXGKARG_BUILDPAGINGBUFFER& paging) {
  if (paging.UnmapApertureSegment.hAllocation == nullptr) return STATUS_SUCCESS;
  PagingCommand command;
  command.opcode = PagingOpcode::kUnmap;
  command.allocation = static_cast<Allocation*>(paging.UnmapApertureSegment.hAllocation);
  return Append(paging, command);
}

// A side in local memory starts TransferOffset bytes behind the allocation's address; a side in system memory MdlOffset pages
// into its MDL. After a reset everything comes with size 0: nothing is worth keeping, and the device is not touched.
NTSTATUS Transfer(DXGKARG_BUILDPAGINGBUFFER& paging) {
  const auto& transfer = paging.Transfer;
  const auto* allocation = static_cast<const Allocation*>(transfer.hAllocation);
  if (transfer.TransferSize == 0 || (allocation != nullptr && allocation->data().kind != AllocationKind::kLocal)) {
    return STATUS_SUCCESS;
  }
  const auto address = [&](const auto& side) {
    return static_cast<std::uint64_t>(side.SegmentAddress.QuadPart) + transfer.TransferOffset;
  };
  PagingCommand command;
  command.allocation = static_cast<Allocation*>(transfer.hAllocation);
  command.bytes = transfer.TransferSize;
  if (transfer.Source.SegmentId == 0) {
    command.opcode = PagingOpcode::kToLocal;
    command.pages = PagesOf(*transfer.Source.pMdl, transfer.MdlOffset);
    command.address = address(transfer.Destination);
  } else if (transfer.Destination.SegmentId == 0) {
    command.opcode = PagingOpcode::kToSystem;
    command.pages = PagesOf(*transfer.Destination.pMdl, transfer.MdlOffset);
    command.address = address(transfer.Source);
  } else {
    command.opcode = PagingOpcode::kMove;
    command.address = address(transfer.Source);
    command.destination = address(transfer.Destination);
  }
  return Append(paging, command);
}

// Images are Vulkan's, which leaves nothing of others in them.
NTSTATUS Fill(DXGKARG_BUILDPAGINGBUFFER& paging) {
  const auto& fill = paging.Fill;
  if (fill.Destination.SegmentId != kMemorySegment || fill.FillSize == 0) return STATUS_SUCCESS;
  PagingCommand command;
  command.opcode = PagingOpcode::kFill;
  command.allocation = static_cast<Allocation*>(fill.hAllocation);
  command.address = static_cast<std::uint64_t>(fill.Destination.SegmentAddress.QuadPart);
  command.bytes = fill.FillSize;
  command.pattern = fill.FillPattern;
  return Append(paging, command);
}

}  // namespace

NTSTATUS VulkanBuildPagingBuffer(HANDLE, DXGKARG_BUILDPAGINGBUFFER* paging) {
  switch (paging->Operation) {
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: return MapAperture(*paging);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: return UnmapAperture(*paging);
    case DXGK_OPERATION_TRANSFER: return Transfer(*paging);
    case DXGK_OPERATION_FILL: return Fill(*paging);
    // Nothing of it matters to these segments, and only a lack of room or an allocation in use may be answered.
    default: return STATUS_SUCCESS;
  }
}

NTSTATUS VulkanSetAllocationBackingStore(HANDLE, DXGKARG_SETALLOCATIONBACKINGSTORE* args) {
  if (args->hDriverAllocation == nullptr || args->pBackingStore == nullptr) return STATUS_INVALID_PARAMETER;
  static_cast<Allocation*>(args->hDriverAllocation)->set_backing_store(static_cast<std::byte*>(args->pBackingStore));
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
