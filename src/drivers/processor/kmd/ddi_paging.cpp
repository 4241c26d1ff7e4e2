// DxgkDdiBuildPagingBuffer.
#include <algorithm>

#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {
namespace {

// One command moves or fills this much at most, so that an abort is noticed soon. Whole pages: MultipassOffset counts them.
constexpr std::uint64_t kPieceBytes = 1U << 20;

template <class Command>
NTSTATUS Append(DXGKARG_BUILDPAGINGBUFFER& paging, const Command& command) {
  CommandWriter writer(paging.pDmaBuffer, paging.DmaSize);
  if (!writer.Fits<Command>()) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  writer.Append(command);
  paging.pDmaBuffer = writer.position();
  return STATUS_SUCCESS;
}

// Appends one command for each piece of `bytes` that earlier passes did not do; `make` gets its offset and length in bytes.
template <class Make>
NTSTATUS AppendPieces(DXGKARG_BUILDPAGINGBUFFER& paging, std::uint64_t bytes, Make make) {
  CommandWriter writer(paging.pDmaBuffer, paging.DmaSize);
  std::uint64_t done = std::uint64_t{paging.MultipassOffset} * kGpuPageBytes;
  while (done < bytes) {
    const auto command = make(done, std::min(kPieceBytes, bytes - done));
    if (!writer.Fits<std::remove_const_t<decltype(command)>>()) break;
    writer.Append(command);
    done += command.bytes;
  }
  paging.pDmaBuffer = writer.position();
  paging.MultipassOffset = static_cast<UINT>(done / kGpuPageBytes);
  return done < bytes ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
}

std::uint64_t HostAddress(const MDL& mdl, ULONG offset_pages) {
  return reinterpret_cast<std::uintptr_t>(MmGetMdlVirtualAddress(&mdl)) + std::uint64_t{offset_pages} * PAGE_SIZE;
}

NTSTATUS MapAperture(DXGKARG_BUILDPAGINGBUFFER& paging) {
  const auto& map = paging.MapApertureSegment;
  if (map.SegmentId != kApertureSegment || map.pMdl == nullptr) return STATUS_INVALID_PARAMETER;
  MapApertureCommand command;
  command.first_page = map.OffsetInPages;
  command.page_count = map.NumberOfPages;
  command.host_address = HostAddress(*map.pMdl, map.MdlOffset);
  command.backing_fd = map.pMdl->BackingFd;
  command.is_dma_buf = map.pMdl->BackingIsDmaBuf;
  command.backing_offset = map.pMdl->BackingOffset + map.pMdl->ByteOffset + std::uint64_t{map.MdlOffset} * PAGE_SIZE;
  return Append(paging, command);
}

NTSTATUS UnmapAperture(DXGKARG_BUILDPAGINGBUFFER& paging) {
  const auto& unmap = paging.UnmapApertureSegment;
  if (unmap.SegmentId != kApertureSegment) return STATUS_INVALID_PARAMETER;
  UnmapApertureCommand command;
  command.first_page = unmap.OffsetInPages;
  command.page_count = unmap.NumberOfPages;
  return Append(paging, command);
}

// A side in a segment starts TransferOffset bytes behind the allocation's address; a side in system memory, MdlOffset pages into
// its MDL.
NTSTATUS Transfer(DXGKARG_BUILDPAGINGBUFFER& paging) {
  const auto& transfer = paging.Transfer;
  if (transfer.TransferSize == 0) return STATUS_SUCCESS;  // an eviction after a reset: nothing is worth keeping
  const auto address = [&transfer](const auto& side) {
    if (side.SegmentId == 0) return HostAddress(*side.pMdl, transfer.MdlOffset);
    return static_cast<std::uint64_t>(side.SegmentAddress.QuadPart) + transfer.TransferOffset;
  };
  if ((transfer.Source.SegmentId == 0 && transfer.Source.pMdl == nullptr) ||
      (transfer.Destination.SegmentId == 0 && transfer.Destination.pMdl == nullptr)) {
    return STATUS_INVALID_PARAMETER;
  }
  return AppendPieces(paging, transfer.TransferSize, [&](std::uint64_t offset, std::uint64_t bytes) {
    TransferCommand command;
    command.source = address(transfer.Source) + offset;
    command.destination = address(transfer.Destination) + offset;
    command.bytes = bytes;
    command.source_is_host = transfer.Source.SegmentId == 0 ? 1 : 0;
    command.destination_is_host = transfer.Destination.SegmentId == 0 ? 1 : 0;
    return command;
  });
}

NTSTATUS Fill(DXGKARG_BUILDPAGINGBUFFER& paging) {
  const auto address = static_cast<std::uint64_t>(paging.Fill.Destination.SegmentAddress.QuadPart);
  return AppendPieces(paging, paging.Fill.FillSize, [&](std::uint64_t offset, std::uint64_t bytes) {
    FillBytesCommand command;
    command.address = address + offset;
    command.bytes = bytes;
    command.pattern = paging.Fill.FillPattern;
    return command;
  });
}

}  // namespace

NTSTATUS ProcessorBuildPagingBuffer(HANDLE /*adapter*/, DXGKARG_BUILDPAGINGBUFFER* paging) {
  switch (paging->Operation) {
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: return MapAperture(*paging);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: return UnmapAperture(*paging);
    case DXGK_OPERATION_TRANSFER: return Transfer(*paging);
    case DXGK_OPERATION_FILL: return Fill(*paging);
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_NOTIFY_RESIDENCY: return STATUS_SUCCESS;  // nothing of it matters to this engine
    default: return STATUS_NOT_SUPPORTED;  // GPU virtual addresses and the rest of what the caps do not offer
  }
}

}  // namespace tandem::processor
