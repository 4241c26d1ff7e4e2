// DxgkDdiBuildPagingBuffer: what the memory manager does with the aperture.
#include "Adapter.h"

#include "Paging.tmh"

// Writes commands behind each other, as long as they fit.
class PagingWriter {
 public:
  explicit PagingWriter(_Inout_ DXGKARG_BUILDPAGINGBUFFER* Paging) : m_Paging(Paging) {
    BufferData* Data = static_cast<BufferData*>(Paging->pDmaBufferPrivateData);
    Data->Begin = static_cast<PUCHAR>(Paging->pDmaBuffer);
    Data->IsPaging = TRUE;
  }
  BOOLEAN Write(_In_ CONST GpuCommand* Command) {
    if (m_Paging->DmaSize < sizeof(*Command)) return FALSE;
    RtlCopyMemory(m_Paging->pDmaBuffer, Command, sizeof(*Command));
    m_Paging->pDmaBuffer = static_cast<PUCHAR>(m_Paging->pDmaBuffer) + sizeof(*Command);
    m_Paging->DmaSize -= sizeof(*Command);
    return TRUE;
  }

 private:
  DXGKARG_BUILDPAGINGBUFFER* m_Paging;
};

// A command for each run of pages that follow each other. MultipassOffset counts pages.
static NTSTATUS MapAperture(_Inout_ DXGKARG_BUILDPAGINGBUFFER* Paging) {
  CONST auto* Map = &Paging->MapApertureSegment;
  if (Map->SegmentId != APERTURE_SEGMENT || Map->pMdl == NULL) return STATUS_INVALID_PARAMETER;
  PUCHAR Address = static_cast<PUCHAR>(MmGetSystemAddressForMdlSafe(Map->pMdl, NormalPagePriority | MdlMappingNoExecute));
  if (Address == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  Address += (ULONG64)Map->MdlOffset * PAGE_SIZE;
  CONST PFN_NUMBER* Frames = MmGetMdlPfnArray(Map->pMdl) + Map->MdlOffset;
  PagingWriter Writer(Paging);
  for (SIZE_T First = Paging->MultipassOffset; First < Map->NumberOfPages;) {
    SIZE_T Count = 1;
    while (First + Count < Map->NumberOfPages && Frames[First + Count] == Frames[First] + Count) Count++;
    GpuCommand Command = {};
    Command.What = OperationMap;
    Command.Source = reinterpret_cast<ULONG64>(Address + First * PAGE_SIZE);
    Command.Destination = Map->OffsetInPages + First;
    Command.Count = Count;
    Command.Frame = Frames[First];
    Paging->MultipassOffset = (UINT)First;
    if (!Writer.Write(&Command)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    First += Count;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS UnmapAperture(_Inout_ DXGKARG_BUILDPAGINGBUFFER* Paging) {
  CONST auto* Unmap = &Paging->UnmapApertureSegment;
  if (Unmap->SegmentId != APERTURE_SEGMENT) return STATUS_INVALID_PARAMETER;
  GpuCommand Command = {};
  Command.What = OperationUnmap;
  Command.Destination = Unmap->OffsetInPages;
  Command.Count = Unmap->NumberOfPages;
  return PagingWriter(Paging).Write(&Command) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

// Segment 0 is system memory, MdlOffset pages into its MDL.
static NTSTATUS Transfer(_Inout_ DXGKARG_BUILDPAGINGBUFFER* Paging) {
  CONST auto* Move = &Paging->Transfer;
  if (Move->TransferSize == 0) return STATUS_SUCCESS;
  GpuCommand Command = {};
  Command.What = OperationTransfer;
  Command.Count = Move->TransferSize;
  Command.SourceIsSystem = Move->Source.SegmentId == 0;
  Command.DestinationIsSystem = Move->Destination.SegmentId == 0;
  Command.Source = Move->Source.SegmentAddress.QuadPart + Move->TransferOffset;
  Command.Destination = Move->Destination.SegmentAddress.QuadPart + Move->TransferOffset;
  CONST ULONG64 Offset = (ULONG64)Move->MdlOffset * PAGE_SIZE;
  if (Command.SourceIsSystem) {
    Command.Source = reinterpret_cast<ULONG64>(MmGetSystemAddressForMdlSafe(Move->Source.pMdl, NormalPagePriority)) + Offset;
  }
  if (Command.DestinationIsSystem) {
    Command.Destination =
        reinterpret_cast<ULONG64>(MmGetSystemAddressForMdlSafe(Move->Destination.pMdl, NormalPagePriority)) + Offset;
  }
  return PagingWriter(Paging).Write(&Command) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

static NTSTATUS Fill(_Inout_ DXGKARG_BUILDPAGINGBUFFER* Paging) {
  GpuCommand Command = {};
  Command.What = OperationFillBytes;
  Command.Destination = Paging->Fill.Destination.SegmentAddress.QuadPart;
  Command.Count = Paging->Fill.FillSize;
  Command.Color = Paging->Fill.FillPattern;
  return PagingWriter(Paging).Write(&Command) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

NTSTATUS Adapter::BuildPagingBuffer(_Inout_ DXGKARG_BUILDPAGINGBUFFER* Paging) {
  PAGED_CODE();
  switch (Paging->Operation) {
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: return MapAperture(Paging);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: return UnmapAperture(Paging);
    case DXGK_OPERATION_TRANSFER: return Transfer(Paging);
    case DXGK_OPERATION_FILL: return Fill(Paging);
    case DXGK_OPERATION_DISCARD_CONTENT: return STATUS_SUCCESS;
    default: return STATUS_NOT_SUPPORTED;
  }
}
