// Scan-out, pointer, palette and scan line. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/caps.h"

// DXGK_SETVIDPNSOURCEADDRESS_FLAGS, d3dkmddi.h.
typedef struct _DXGK_SETVIDPNSOURCEADDRESS_FLAGS {
  union {
    struct {
      UINT ModeChange : 1;                // 0x00000001
      UINT FlipImmediate : 1;             // 0x00000002
      UINT FlipOnNextVSync : 1;           // 0x00000004
      UINT FlipStereo : 1;                // 0x00000008
      UINT FlipStereoTemporaryMono : 1;   // 0x00000010
      UINT FlipStereoPreferRight : 1;     // 0x00000020
      UINT SharedPrimaryTransition : 1;   // 0x00000040
      UINT IndependentFlipExclusive : 1;  // 0x00000080
      UINT MoveFlip : 1;                  // 0x00000100
      UINT Reserved : 23;
    };
    UINT Value;
  };
} DXGK_SETVIDPNSOURCEADDRESS_FLAGS;

// DXGK_PRIMARYDATA, d3dkmddi.h.
typedef struct _DXGK_PRIMARYDATA {
  HANDLE hAllocation;
  USHORT SegmentId;
  PHYSICAL_ADDRESS SegmentAddress;
} DXGK_PRIMARYDATA;

#define DXGK_MAX_PRIMARYDATA 64

// DXGKARG_SETVIDPNSOURCEADDRESS, d3dkmddi.h. For a mode change ContextCount is 0. hAllocation is the
// CreateAllocation handle. Duration counts 100 ns; 0 is the default refresh.
typedef struct _DXGKARG_SETVIDPNSOURCEADDRESS {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT PrimarySegment;
  PHYSICAL_ADDRESS PrimaryAddress;
  HANDLE hAllocation;
  UINT ContextCount;
  HANDLE Context[1 + D3DDDI_MAX_BROADCAST_CONTEXT];
  DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
  UINT Duration;
  DXGK_PRIMARYDATA PrimaryData[64];
  UINT DriverPrivateDataSize;
  VOID* pDriverPrivateData;
} DXGKARG_SETVIDPNSOURCEADDRESS;

// DXGKARG_SETVIDPNSOURCEVISIBILITY, d3dkmddi.h.
typedef struct _DXGKARG_SETVIDPNSOURCEVISIBILITY {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  BOOLEAN Visible;
} DXGKARG_SETVIDPNSOURCEVISIBILITY;

// DXGKARG_GETSCANLINE, d3dkmddi.h.
typedef struct _DXGKARG_GETSCANLINE {
  D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
  BOOLEAN InVerticalBlank;
  UINT ScanLine;
} DXGKARG_GETSCANLINE;

// DXGK_SETPOINTERPOSITIONFLAGS and DXGKARG_SETPOINTERPOSITION, d3dkmddi.h.
typedef struct _DXGK_SETPOINTERPOSITIONFLAGS {
  union {
    struct {
      UINT Visible : 1;     // 0x00000001
      UINT Procedural : 1;  // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_SETPOINTERPOSITIONFLAGS;

typedef struct _DXGKARG_SETPOINTERPOSITION {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  INT X;
  INT Y;
  DXGK_SETPOINTERPOSITIONFLAGS Flags;
} DXGKARG_SETPOINTERPOSITION;

// DXGKARG_SETPOINTERSHAPE, d3dkmddi.h. Pitch in bytes.
typedef struct _DXGKARG_SETPOINTERSHAPE {
  DXGK_POINTERFLAGS Flags;
  UINT Width;
  UINT Height;
  UINT Pitch;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  CONST VOID* pPixels;
  UINT XHot;
  UINT YHot;
} DXGKARG_SETPOINTERSHAPE;

// D3DKMDT_PALETTEDATA and DXGKARG_SETPALETTE, d3dkmddi.h.
typedef struct _D3DKMDT_PALETTEDATA {
  UCHAR Red;
  UCHAR Green;
  UCHAR Blue;
  UCHAR Unused;
} D3DKMDT_PALETTEDATA;

typedef struct _DXGKARG_SETPALETTE {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT FirstEntry;
  UINT NumEntries;
  D3DKMDT_PALETTEDATA* pLookupTable;
} DXGKARG_SETPALETTE;

// Programs scan-out for the next vertical sync; the driver then reports the effective address with
// DXGK_INTERRUPT_CRTC_VSYNC. PASSIVE_LEVEL for mode changes, DIRQL for flips when an MMIO flip is
// reported; non-pageable, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_SETVIDPNSOURCEADDRESS(HANDLE hAdapter,
                                                        CONST DXGKARG_SETVIDPNSOURCEADDRESS* pSetVidPnSourceAddress);
typedef DXGKDDI_SETVIDPNSOURCEADDRESS* PDXGKDDI_SETVIDPNSOURCEADDRESS;

// Starts or stops scan-out of a source. PASSIVE_LEVEL, pageable, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_SETVIDPNSOURCEVISIBILITY(HANDLE hAdapter,
                                                           CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* pSetVidPnSourceVisibility);
typedef DXGKDDI_SETVIDPNSOURCEVISIBILITY* PDXGKDDI_SETVIDPNSOURCEVISIBILITY;

// Reads the current scan line. PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_GETSCANLINE(HANDLE hAdapter, DXGKARG_GETSCANLINE* pGetScanLine);
typedef DXGKDDI_GETSCANLINE* PDXGKDDI_GETSCANLINE;

// PASSIVE_LEVEL, pageable, level 1 (pointer class).
typedef NTSTATUS APIENTRY DXGKDDI_SETPOINTERPOSITION(HANDLE hAdapter, CONST DXGKARG_SETPOINTERPOSITION* pSetPointerPosition);
typedef DXGKDDI_SETPOINTERPOSITION* PDXGKDDI_SETPOINTERPOSITION;

// PASSIVE_LEVEL, pageable, level 1 (pointer class).
typedef NTSTATUS APIENTRY DXGKDDI_SETPOINTERSHAPE(HANDLE hAdapter, CONST DXGKARG_SETPOINTERSHAPE* pSetPointerShape);
typedef DXGKDDI_SETPOINTERSHAPE* PDXGKDDI_SETPOINTERSHAPE;

// PASSIVE_LEVEL, pageable, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_SETPALETTE(HANDLE hAdapter, CONST DXGKARG_SETPALETTE* pSetPalette);
typedef DXGKDDI_SETPALETTE* PDXGKDDI_SETPALETTE;
