// Capabilities, the segment, the node, contexts.
#include "Adapter.h"

#include "Caps.tmh"

#define PAGING_BUFFER_BYTES 0x10000
#define MOST_SLOTS 15

NTSTATUS Adapter::QueryCaps(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query) {
  // A table of WDDM 1.3 is asked for the members of WDDM 1.3 alone.
  if (Query->OutputDataSize < UFIELD_OFFSET(DXGK_DRIVERCAPS, InternalGpuVirtualAddressRangeStart)) return STATUS_BUFFER_TOO_SMALL;
  DXGK_DRIVERCAPS* Caps = static_cast<DXGK_DRIVERCAPS*>(Query->pOutputData);
  RtlZeroMemory(Caps, Query->OutputDataSize);
  Caps->WDDMVersion = DXGKDDI_WDDMv1_3;
  Caps->HighestAcceptableAddress.QuadPart = -1;
  Caps->MaxAllocationListSlotId = MOST_SLOTS;
  Caps->ApertureSegmentCommitLimit = APERTURE_BYTES;
  Caps->MaxQueuedFlipOnVSync = 1;
  Caps->FlipCaps.FlipOnVSyncMmIo = 1;
  Caps->FlipCaps.FlipImmediateMmIo = 1;
  Caps->FlipCaps.FlipIndependent = 1;
  Caps->SchedulingCaps.MultiEngineAware = 1;
  Caps->SchedulingCaps.PreemptionAware = 1;
  Caps->MemoryManagementCaps.CrossAdapterResource = 1;
  Caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
  Caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  Caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  Caps->SupportNonVGA = TRUE;
  Caps->SupportDirectFlip = TRUE;
  return STATUS_SUCCESS;
}

// Asked for the count, then for the descriptors.
NTSTATUS Adapter::QuerySegments(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query) {
  if (Query->OutputDataSize < sizeof(DXGK_QUERYSEGMENTOUT3)) return STATUS_BUFFER_TOO_SMALL;
  DXGK_QUERYSEGMENTOUT3* Out = static_cast<DXGK_QUERYSEGMENTOUT3*>(Query->pOutputData);
  Out->NbSegment = 1;
  Out->PagingBufferSegmentId = 0;
  Out->PagingBufferSize = PAGING_BUFFER_BYTES;
  Out->PagingBufferPrivateDataSize = sizeof(BufferData);
  if (Out->pSegmentDescriptor == NULL) return STATUS_SUCCESS;
  RtlZeroMemory(Out->pSegmentDescriptor, sizeof(*Out->pSegmentDescriptor));
  Out->pSegmentDescriptor->Flags.Aperture = 1;
  Out->pSegmentDescriptor->Flags.CacheCoherent = 1;
  Out->pSegmentDescriptor->Flags.DirectFlip = 1;
  Out->pSegmentDescriptor->BaseAddress.QuadPart = APERTURE_BASE;
  Out->pSegmentDescriptor->Size = APERTURE_BYTES;
  Out->pSegmentDescriptor->CommitLimit = APERTURE_BYTES;
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::QueryAdapterInfo(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query) {
  PAGED_CODE();
  switch (Query->Type) {
    case DXGKQAITYPE_DRIVERCAPS: return QueryCaps(Query);
    case DXGKQAITYPE_QUERYSEGMENT3: return QuerySegments(Query);
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS Adapter::GetNodeMetadata(_In_ UINT NodeOrdinal, _Out_ DXGKARG_GETNODEMETADATA* Metadata) {
  PAGED_CODE();
  if ((NodeOrdinal & 0xFFFF) != 0) return STATUS_INVALID_PARAMETER;
  static CONST WCHAR Name[] = L"virtio-gpu copies";
  RtlZeroMemory(Metadata, sizeof(*Metadata));
  Metadata->EngineType = DXGK_ENGINE_TYPE_COPY;
  RtlCopyMemory(Metadata->FriendlyName, Name, sizeof(Name));
  return STATUS_SUCCESS;
}

NTSTATUS DescribeContext(_Inout_ DXGKARG_CREATECONTEXT* Create) {
  PAGED_CODE();
  if (Create->NodeOrdinal != 0 || Create->Flags.VirtualAddressing || Create->Flags.HwQueueSupported) {
    return STATUS_INVALID_PARAMETER;
  }
  RtlZeroMemory(&Create->ContextInfo, sizeof(Create->ContextInfo));
  Create->ContextInfo.DmaBufferSize = 256 * sizeof(GpuCommand);
  Create->ContextInfo.DmaBufferPrivateDataSize = sizeof(BufferData);
  Create->ContextInfo.AllocationListSize = 16;
  Create->ContextInfo.PatchLocationListSize = 512;
  return STATUS_SUCCESS;
}
