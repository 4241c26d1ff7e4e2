#include "Allocation.h"

#include "Allocation.tmh"
#include "Aperture.h"
#include "GpuProtocol.h"

#define MOST_HEAP_BYTES 0x30000000u

ULONG VirtioFormat(_In_ ULONG Format) {
  switch (Format) {
    case D3DDDIFMT_A8R8G8B8: return VIRTIO_GPU_FORMAT_B8G8R8A8_UNORM;
    case D3DDDIFMT_X8R8G8B8: return VIRTIO_GPU_FORMAT_B8G8R8X8_UNORM;
    case D3DDDIFMT_A8B8G8R8: return VIRTIO_GPU_FORMAT_R8G8B8A8_UNORM;
    case D3DDDIFMT_X8B8G8R8: return VIRTIO_GPU_FORMAT_R8G8B8X8_UNORM;
    default: return 0;
  }
}

static BOOLEAN IsRedFirst(_In_ ULONG Format) { return Format == D3DDDIFMT_A8B8G8R8 || Format == D3DDDIFMT_X8B8G8R8; }

BOOLEAN SwapsRedAndBlue(_In_ ULONG One, _In_ ULONG Other) { return IsRedFirst(One) != IsRedFirst(Other); }

static ULONG RowBytes(_In_ CONST SURFACE_DATA* Surface) { return IsHeap(Surface) ? Surface->Width : Surface->Width * 4; }

ULONG64 SurfaceBytes(_In_ CONST SURFACE_DATA* Surface) {
  if (IsHeap(Surface)) return ROUND_TO_PAGES((ULONG64)Surface->Pitch);
  return ROUND_TO_PAGES((ULONG64)Surface->Pitch * ALIGN_UP_BY(Surface->Height, SURFACE_HEIGHT_ALIGNMENT));
}

VOID LayOut(_Inout_ SURFACE_DATA* Surface) {
  if (Surface->Pitch == 0) Surface->Pitch = (ULONG)ALIGN_UP_BY(RowBytes(Surface), SURFACE_PITCH_ALIGNMENT);
}

BOOLEAN IsValidSurface(_In_ CONST SURFACE_DATA* Surface) {
  if (Surface->Magic != SURFACE_MAGIC || (Surface->Flags & ~(SURFACE_PRIMARY | SURFACE_CROSS_ADAPTER)) != 0) return FALSE;
  if (Surface->Width == 0 || Surface->Height == 0 || Surface->Pitch % SURFACE_PITCH_ALIGNMENT != 0) return FALSE;
  if (IsHeap(Surface)) {
    return !(Surface->Flags & SURFACE_PRIMARY) && Surface->Height == 1 && Surface->Width <= MOST_HEAP_BYTES &&
           Surface->Pitch >= Surface->Width && SurfaceBytes(Surface) <= APERTURE_BYTES;
  }
  return VirtioFormat(Surface->Format) != 0 && Surface->Width <= SURFACE_MAX_EXTENT && Surface->Height <= SURFACE_MAX_EXTENT &&
         Surface->Pitch >= RowBytes(Surface) && Surface->Pitch <= 4 * SURFACE_MAX_EXTENT &&
         SurfaceBytes(Surface) <= APERTURE_BYTES;
}

static NTSTATUS CreateOne(_Inout_ DXGK_ALLOCATIONINFO* Info) {
  SURFACE_DATA Surface;
  if (Info->pPrivateDriverData == NULL || Info->PrivateDriverDataSize != sizeof(Surface)) return STATUS_INVALID_PARAMETER;
  RtlCopyMemory(&Surface, Info->pPrivateDriverData, sizeof(Surface));
  if (!IsValidSurface(&Surface)) return STATUS_INVALID_PARAMETER;
  Allocation* Made = new (PoolKind::NonPaged) Allocation;
  if (Made == NULL) return STATUS_NO_MEMORY;
  RtlZeroMemory(Made, sizeof(*Made));
  Made->Surface = Surface;
  Info->hAllocation = Made;
  Info->Alignment = PAGE_SIZE;
  Info->Size = SurfaceBytes(&Surface);
  Info->PitchAlignedSize = 0;
  Info->HintedBank.Value = 0;
  Info->PreferredSegment.Value = 0;
  Info->PreferredSegment.SegmentId0 = APERTURE_SEGMENT;
  Info->SupportedReadSegmentSet = Info->SupportedWriteSegmentSet = 1u << (APERTURE_SEGMENT - 1);
  Info->EvictionSegmentSet = 0;
  Info->MaximumRenamingListLength = 0;
  Info->Flags.Value = 0;
  Info->Flags.CpuVisible = 1;
  Info->pAllocationUsageHint = NULL;
  Info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  return STATUS_SUCCESS;
}

// What fails half-way leaves nothing behind.
NTSTATUS CreateAllocations(_Inout_ DXGKARG_CREATEALLOCATION* Create) {
  PAGED_CODE();
  for (UINT i = 0; i < Create->NumAllocations; i++) {
    CONST NTSTATUS Status = CreateOne(&Create->pAllocationInfo[i]);
    if (NT_SUCCESS(Status)) continue;
    while (i-- > 0) delete static_cast<Allocation*>(Create->pAllocationInfo[i].hAllocation);
    return Status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS DescribeAllocation(_Inout_ DXGKARG_DESCRIBEALLOCATION* Describe) {
  PAGED_CODE();
  CONST SURFACE_DATA* Surface = &static_cast<CONST Allocation*>(Describe->hAllocation)->Surface;
  Describe->Width = Surface->Width;
  Describe->Height = Surface->Height;
  Describe->Format = (D3DDDIFORMAT)Surface->Format;
  RtlZeroMemory(&Describe->MultisampleMethod, sizeof(Describe->MultisampleMethod));
  RtlZeroMemory(&Describe->RefreshRate, sizeof(Describe->RefreshRate));
  Describe->PrivateDriverFormatAttribute = 0;
  return STATUS_SUCCESS;
}

// Called for the size, and again with a buffer.
NTSTATUS DescribeStandardAllocation(_Inout_ DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* Standard) {
  PAGED_CODE();
  SURFACE_DATA Surface = {SURFACE_MAGIC, 0, 0, 0, 0, D3DDDIFMT_A8R8G8B8};
  UINT* Pitch = NULL;
  switch (Standard->StandardAllocationType) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE: {
      CONST D3DKMDT_SHAREDPRIMARYSURFACEDATA* Primary = Standard->pCreateSharedPrimarySurfaceData;
      if (Primary->VidPnSourceId != 0) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
      Surface.Flags = SURFACE_PRIMARY;
      Surface.Width = Primary->Width;
      Surface.Height = Primary->Height;
      Surface.Format = Primary->Format;
      break;
    }
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE: {
      D3DKMDT_SHADOWSURFACEDATA* Shadow = Standard->pCreateShadowSurfaceData;
      Surface.Width = Shadow->Width;
      Surface.Height = Shadow->Height;
      Surface.Format = Shadow->Format;
      Pitch = &Shadow->Pitch;
      break;
    }
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE: {
      D3DKMDT_STAGINGSURFACEDATA* Staging = Standard->pCreateStagingSurfaceData;
      Surface.Width = Staging->Width;
      Surface.Height = Staging->Height;
      Pitch = &Staging->Pitch;
      break;
    }
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE: {
      // The pitch of a surface that another adapter made is given.
      D3DKMDT_GDISURFACEDATA* Gdi = Standard->pCreateGdiSurfaceData;
      CONST BOOLEAN IsShared =
          Gdi->Type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER || Gdi->Type == D3DKMDT_GDISURFACE_TEXTURE_CPUVISIBLE_CROSSADAPTER;
      Surface.Flags = IsShared ? SURFACE_CROSS_ADAPTER : 0;
      Surface.Width = Gdi->Width;
      Surface.Height = Gdi->Height;
      Surface.Format = Gdi->Format;
      Surface.Pitch = IsHeap(&Surface) ? 0 : Gdi->Pitch;
      Pitch = IsHeap(&Surface) ? NULL : &Gdi->Pitch;
      if (IsHeap(&Surface)) Gdi->Pitch = 0;
      break;
    }
    default: return STATUS_NOT_SUPPORTED;
  }
  LayOut(&Surface);
  if (!IsValidSurface(&Surface)) return STATUS_INVALID_PARAMETER;
  if (Pitch != NULL) *Pitch = Surface.Pitch;
  if (Standard->pAllocationPrivateDriverData != NULL) {
    if (Standard->AllocationPrivateDriverDataSize < sizeof(Surface)) return STATUS_BUFFER_TOO_SMALL;
    RtlCopyMemory(Standard->pAllocationPrivateDriverData, &Surface, sizeof(Surface));
  }
  Standard->AllocationPrivateDriverDataSize = sizeof(Surface);
  Standard->ResourcePrivateDriverDataSize = 0;
  return STATUS_SUCCESS;
}

NTSTATUS OpenAllocations(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _In_ CONST DXGKARG_OPENALLOCATION* Open) {
  PAGED_CODE();
  for (UINT i = 0; i < Open->NumAllocations; i++) {
    DXGKARGCB_GETHANDLEDATA Query = {};
    Query.hObject = Open->pOpenAllocation[i].hAllocation;
    Query.Type = DXGK_HANDLE_ALLOCATION;
    Open->pOpenAllocation[i].hDeviceSpecificAllocation = Dxgkrnl->DxgkCbGetHandleData(&Query);
    if (Open->pOpenAllocation[i].hDeviceSpecificAllocation == NULL) return STATUS_INVALID_HANDLE;
  }
  return STATUS_SUCCESS;
}
