// Present, Render and the DMA buffers they fill. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

// The elements of DXGKARG_PRESENT.pAllocationList. Element 0 is always a NULL handle, so the list
// has three. Public page: "DXGKARG_PRESENT structure (d3dkmddi.h)".
#define DXGK_PRESENT_SOURCE_INDEX 1
#define DXGK_PRESENT_DESTINATION_INDEX 2
#define DXGK_PRESENT_MAX_INDEX 2

// DXGK_ALLOCATIONLIST, d3dkmddi.h. SegmentId 0: the address is not known yet; otherwise the address
// is the last known one and must be written into the buffer, since Patch may be skipped.
// hDeviceSpecificAllocation is what OpenAllocation returned.
typedef struct _DXGK_ALLOCATIONLIST {
  HANDLE hDeviceSpecificAllocation;
  struct {
    UINT WriteOperation : 1;
    UINT SegmentId : 5;
    UINT Reserved : 26;
  };
  union {
    PHYSICAL_ADDRESS PhysicalAddress;
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  };
} DXGK_ALLOCATIONLIST;

// DXGK_PRESENTALLOCATIONINFO, d3dkmddi.h: used instead of the allocation list when the context has no
// patching.
typedef struct _DXGK_PRESENTALLOCATIONINFO {
  HANDLE hDeviceSpecificAllocation;
  D3DGPU_VIRTUAL_ADDRESS AllocationVirtualAddress;
  PHYSICAL_ADDRESS PhysicalAddress;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
} DXGK_PRESENTALLOCATIONINFO;

// DXGK_PRESENTMULTIPLANEOVERLAYINFO, d3dkmddi.h.
typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYLIST {
  UINT LayerIndex;
  BOOL Enabled;
  HANDLE hDeviceSpecificAllocation;
  struct {
    UINT SegmentId : 5;
    UINT Reserved : 27;
  };
  PHYSICAL_ADDRESS PhysicalAddress;
} DXGK_PRESENTMULTIPLANEOVERLAYLIST;

typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYINFO {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT PlaneListCount;
  DXGK_PRESENTMULTIPLANEOVERLAYLIST* pPlaneList;
} DXGK_PRESENTMULTIPLANEOVERLAYINFO;

// DXGK_PRESENTFLAGS, d3dkmddi.h. ColorFill, SrcColorKey and DstColorKey exclude each other, and so do
// FlipStereo and FlipStereoTemporaryMono.
typedef struct _DXGK_PRESENTFLAGS {
  union {
    struct {
      UINT Blt : 1;                        // 0x00000001
      UINT ColorFill : 1;                  // 0x00000002
      UINT Flip : 1;                       // 0x00000004
      UINT FlipWithNoWait : 1;             // 0x00000008
      UINT SrcColorKey : 1;                // 0x00000010
      UINT DstColorKey : 1;                // 0x00000020
      UINT LinearToSrgb : 1;               // 0x00000040
      UINT Rotate : 1;                     // 0x00000080
      UINT FlipStereo : 1;                 // 0x00000100
      UINT FlipStereoTemporaryMono : 1;    // 0x00000200
      UINT FlipStereoPreferRight : 1;      // 0x00000400
      UINT BltStereoUseRight : 1;          // 0x00000800
      UINT FlipWithMultiPlaneOverlay : 1;  // 0x00001000
      UINT RedirectedFlip : 1;             // 0x00002000
      UINT Reserved : 18;
    };
    UINT Value;
  };
} DXGK_PRESENTFLAGS;

// DXGKARG_PRESENT, d3dkmddi.h.
typedef struct _DXGKARG_PRESENT {
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  union {
    DXGK_ALLOCATIONLIST* pAllocationList;
    DXGK_PRESENTALLOCATIONINFO* pAllocationInfo;
    DXGK_PRESENTMULTIPLANEOVERLAYINFO* pPresentMultiPlaneOverlayInfo;
  };
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT Color;
  RECT DstRect;
  RECT SrcRect;
  UINT SubRectCnt;
  CONST RECT* pDstSubRects;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  DXGK_PRESENTFLAGS Flags;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
  UINT Reserved;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT NumSrcAllocations;
  UINT NumDstAllocations;
  UINT PrivateDriverDataSize;
  VOID* pPrivateDriverData;
} DXGKARG_PRESENT;

// DXGKARG_RENDER, d3dkmddi.h. pCommand and pPatchLocationListIn are the program's own memory.
typedef struct _DXGKARG_RENDER {
  CONST VOID* pCommand;
  UINT CommandLength;
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  CONST D3DDDI_PATCHLOCATIONLIST* pPatchLocationListIn;
  UINT PatchLocationListInSize;
  D3DDDI_PATCHLOCATIONLIST* pPatchLocationListOut;
  UINT PatchLocationListOutSize;
  UINT MultipassOffset;
  UINT DmaBufferSegmentId;
  PHYSICAL_ADDRESS DmaBufferPhysicalAddress;
} DXGKARG_RENDER;

// DXGKARG_RENDERGDI, d3dkmddi.h.
typedef struct _DXGKARG_RENDERGDI {
  CONST VOID* pCommand;
  UINT CommandLength;
  VOID* pDmaBuffer;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_ALLOCATIONLIST* pAllocationList;
  UINT AllocationListSize;
  UINT MultipassOffset;
} DXGKARG_RENDERGDI;

// Blt, flip or colour fill. Writes a DMA buffer and moves pDmaBuffer and pPatchLocationListOut past the written parts. If the
// buffer is full, returns STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER with MultipassOffset set. Public page: "DXGKDDI_PRESENT
// callback function". PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_PRESENT(HANDLE hContext, DXGKARG_PRESENT* pPresent);
typedef DXGKDDI_PRESENT* PDXGKDDI_PRESENT;

// Translates a command buffer of user mode into a DMA buffer. PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_RENDER(HANDLE hContext, DXGKARG_RENDER* pRender);
typedef DXGKDDI_RENDER* PDXGKDDI_RENDER;

// Translates a command buffer that kernel mode made. PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_RENDERKM(HANDLE hContext, DXGKARG_RENDER* pRender);
typedef DXGKDDI_RENDERKM* PDXGKDDI_RENDERKM;

// GDI commands with GPU virtual addresses. IRQL not stated; called at PASSIVE_LEVEL, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_RENDERGDI(HANDLE hContext, DXGKARG_RENDERGDI* pRenderGdi);
typedef DXGKDDI_RENDERGDI* PDXGKDDI_RENDERGDI;

// Display-only drivers: D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS, DXGKARG_PRESENT_DISPLAYONLY; d3dkmddi.h.
typedef struct _D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS {
  union {
    struct {
      UINT Rotate : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS;

typedef enum _DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID WDDM_ENUM {
  DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE = 0,
  DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_FAILED = 1,
} DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID;

typedef struct _DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID ProgressId;
} DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS;

typedef VOID(APIENTRY* DXGKCB_PRESENT_DISPLAYONLY_PROGRESS)(HANDLE hDevice, DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS* pProgress);

typedef struct _DXGKARG_PRESENT_DISPLAYONLY {
  UINT VidPnSourceId;
  VOID* pSource;
  UINT BytesPerPixel;
  INT Pitch;
  D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS Flags;
  UINT NumMoves;
  D3DKMT_MOVE_RECT* pMoves;
  UINT NumDirtyRects;
  RECT* pDirtyRect;
  DXGKCB_PRESENT_DISPLAYONLY_PROGRESS pfnPresentDisplayOnlyProgress;
} DXGKARG_PRESENT_DISPLAYONLY;

// Copies to the screen of a display-only adapter. PASSIVE_LEVEL, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_PRESENTDISPLAYONLY(HANDLE hAdapter, CONST DXGKARG_PRESENT_DISPLAYONLY* pPresentDisplayOnly);
typedef DXGKDDI_PRESENTDISPLAYONLY* PDXGKDDI_PRESENTDISPLAYONLY;
