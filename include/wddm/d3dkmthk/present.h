// Present, vertical blank and display ownership. Part of d3dkmthk.h.
#pragma once

#include "d3dkmdt.h"

// D3DKMT_PRESENTFLAGS, d3dkmthk.h.
typedef struct _D3DKMT_PRESENTFLAGS {
  union {
    struct {
      UINT Blt : 1;                         // 0x00000001
      UINT ColorFill : 1;                   // 0x00000002
      UINT Flip : 1;                        // 0x00000004
      UINT FlipDoNotFlip : 1;               // 0x00000008
      UINT FlipDoNotWait : 1;               // 0x00000010
      UINT FlipRestart : 1;                 // 0x00000020
      UINT DstRectValid : 1;                // 0x00000040
      UINT SrcRectValid : 1;                // 0x00000080
      UINT RestrictVidPnSource : 1;         // 0x00000100
      UINT SrcColorKey : 1;                 // 0x00000200
      UINT DstColorKey : 1;                 // 0x00000400
      UINT LinearToSrgb : 1;                // 0x00000800
      UINT PresentCountValid : 1;           // 0x00001000
      UINT Rotate : 1;                      // 0x00002000
      UINT PresentToBitmap : 1;             // 0x00004000
      UINT RedirectedFlip : 1;              // 0x00008000
      UINT RedirectedBlt : 1;               // 0x00010000
      UINT FlipStereo : 1;                  // 0x00020000
      UINT FlipStereoTemporaryMono : 1;     // 0x00040000
      UINT FlipStereoPreferRight : 1;       // 0x00080000
      UINT BltStereoUseRight : 1;           // 0x00100000
      UINT PresentHistoryTokenOnly : 1;     // 0x00200000
      UINT PresentRegionsValid : 1;         // 0x00400000
      UINT PresentDDA : 1;                  // 0x00800000
      UINT ProtectedContentBlankedOut : 1;  // 0x01000000
      UINT RemoteSession : 1;               // 0x02000000
      UINT CrossAdapter : 1;                // 0x04000000
      UINT DurationValid : 1;               // 0x08000000
      UINT PresentIndirect : 1;             // 0x10000000
      UINT PresentHMD : 1;                  // 0x20000000
      UINT Reserved : 2;
    };
    UINT Value;
  };
} D3DKMT_PRESENTFLAGS;

// D3DKMT_PRESENT_MODEL and D3DKMT_PRESENTHISTORYTOKEN, d3dkmthk.h.
typedef enum _D3DKMT_PRESENT_MODEL WDDM_ENUM {
  D3DKMT_PM_UNINITIALIZED = 0,
  D3DKMT_PM_REDIRECTED_GDI = 1,
  D3DKMT_PM_REDIRECTED_FLIP = 2,
  D3DKMT_PM_REDIRECTED_BLT = 3,
  D3DKMT_PM_REDIRECTED_VISTABLT = 4,
  D3DKMT_PM_SCREENCAPTUREFENCE = 5,
  D3DKMT_PM_REDIRECTED_GDI_SYSMEM = 6,
  D3DKMT_PM_REDIRECTED_COMPOSITION = 7,
  D3DKMT_PM_SURFACECOMPLETE = 8,
  D3DKMT_PM_FLIPMANAGER = 9,
} D3DKMT_PRESENT_MODEL;

// A compositor of the Windows desktop reads the token; nothing here does. Token stands for the published union and has its size.
typedef struct _D3DKMT_PRESENTHISTORYTOKEN {
  D3DKMT_PRESENT_MODEL Model;
  UINT TokenSize;
  UINT64 CompositionBindingId;
  UINT64 Token[133];
} D3DKMT_PRESENTHISTORYTOKEN;

// D3DKMT_PRESENT_RGNS, d3dkmthk.h.

typedef struct _D3DKMT_PRESENT_RGNS {
  UINT DirtyRectCount;
  CONST RECT* pDirtyRects;
  UINT MoveRectCount;
  CONST D3DKMT_MOVE_RECT* pMoveRects;
} D3DKMT_PRESENT_RGNS;

// D3DKMT_PRESENT, d3dkmthk.h. Flip shows hSource on VidPnSourceId; Blt copies hSource
// to hDestination, or to hWindow.
typedef struct _D3DKMT_PRESENT {
  union {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hContext;
  };
  HWND hWindow;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DKMT_HANDLE hSource;
  D3DKMT_HANDLE hDestination;
  UINT Color;
  RECT DstRect;
  RECT SrcRect;
  UINT SubRectCnt;
  CONST RECT* pSrcSubRects;
  UINT PresentCount;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  D3DKMT_PRESENTFLAGS Flags;
  ULONG BroadcastContextCount;
  D3DKMT_HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
  HANDLE PresentLimitSemaphore;
  D3DKMT_PRESENTHISTORYTOKEN PresentHistoryToken;
  D3DKMT_PRESENT_RGNS* pPresentRegions;
  union {
    D3DKMT_HANDLE hAdapter;
    D3DKMT_HANDLE hIndirectContext;
  };
  UINT Duration;
  CONST D3DKMT_HANDLE* BroadcastSrcAllocation;
  CONST D3DKMT_HANDLE* BroadcastDstAllocation;
  UINT PrivateDriverDataSize;
  VOID* pPrivateDriverData;
  BOOLEAN bOptimizeForComposition;
} D3DKMT_PRESENT;

// D3DKMT_WAITFORVERTICALBLANKEVENT and its second form, d3dkmthk.h.
#define D3DKMT_MAX_WAITFORVERTICALBLANK_OBJECTS 8

typedef struct _D3DKMT_WAITFORVERTICALBLANKEVENT {
  D3DKMT_HANDLE hAdapter;
  D3DKMT_HANDLE hDevice;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_WAITFORVERTICALBLANKEVENT;

typedef struct _D3DKMT_WAITFORVERTICALBLANKEVENT2 {
  D3DKMT_HANDLE hAdapter;
  D3DKMT_HANDLE hDevice;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT NumObjects;
  HANDLE ObjectHandleArray[D3DKMT_MAX_WAITFORVERTICALBLANK_OBJECTS];
} D3DKMT_WAITFORVERTICALBLANKEVENT2;

// D3DKMT_GETSCANLINE, d3dkmthk.h.
typedef struct _D3DKMT_GETSCANLINE {
  D3DKMT_HANDLE hAdapter;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  BOOLEAN InVerticalBlank;
  UINT ScanLine;
} D3DKMT_GETSCANLINE;

// D3DKMT_SETVIDPNSOURCEOWNER, d3dkmthk.h. VidPnSourceCount 0 gives up every source of the device.
typedef enum _D3DKMT_VIDPNSOURCEOWNER_TYPE WDDM_ENUM {
  D3DKMT_VIDPNSOURCEOWNER_UNOWNED = 0,
  D3DKMT_VIDPNSOURCEOWNER_SHARED = 1,
  D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE = 2,
  D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI = 3,
  D3DKMT_VIDPNSOURCEOWNER_EMULATED = 4,
} D3DKMT_VIDPNSOURCEOWNER_TYPE;

typedef struct _D3DKMT_SETVIDPNSOURCEOWNER {
  D3DKMT_HANDLE hDevice;
  CONST D3DKMT_VIDPNSOURCEOWNER_TYPE* pType;
  CONST D3DDDI_VIDEO_PRESENT_SOURCE_ID* pVidPnSourceId;
  UINT VidPnSourceCount;
} D3DKMT_SETVIDPNSOURCEOWNER;

// D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP, d3dkmthk.h.
typedef struct _D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP {
  D3DKMT_HANDLE hAdapter;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP;

// D3DKMT_SETDISPLAYMODE_FLAGS, d3dkmthk.h. Two storage units, as its compiler lays them out.
typedef struct _D3DKMT_SETDISPLAYMODE_FLAGS {
  BOOLEAN PreserveVidPn : 1;
  UINT : 0;
  UINT Reserved : 31;
} D3DKMT_SETDISPLAYMODE_FLAGS;

// D3DKMT_SETDISPLAYMODE, d3dkmthk.h. The source is the primary allocation's.
typedef struct _D3DKMT_SETDISPLAYMODE {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hPrimaryAllocation;
  D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING ScanLineOrdering;
  D3DDDI_ROTATION DisplayOrientation;
  UINT PrivateDriverFormatAttribute;
  D3DKMT_SETDISPLAYMODE_FLAGS Flags;
} D3DKMT_SETDISPLAYMODE;

// Commits a VidPN that scans the primary out with the given orientation.
EXTERN_C NTSTATUS APIENTRY D3DKMTSetDisplayMode(D3DKMT_SETDISPLAYMODE* pData);
// Waits while the device's present queue is full.
EXTERN_C NTSTATUS APIENTRY D3DKMTPresent(D3DKMT_PRESENT* pData);
// Blocks until the next vertical blank of the source.
EXTERN_C NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent(CONST D3DKMT_WAITFORVERTICALBLANKEVENT* pData);
// Blocks until the next vertical blank, or until one of the objects (eventfds) is signaled.
EXTERN_C NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent2(CONST D3DKMT_WAITFORVERTICALBLANKEVENT2* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTGetScanLine(D3DKMT_GETSCANLINE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTCheckVidPnExclusiveOwnership(CONST D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner(CONST D3DKMT_SETVIDPNSOURCEOWNER* pData);
