// User mode's requests for multiplane overlays. Part of d3dkmthk.h.
#pragma once

#include "d3dkmdt.h"

// D3DKMT_MULTIPLANE_OVERLAY_FLAGS, d3dkmthk.h: the bits of DXGK_MULTIPLANE_OVERLAY_FLAGS.
typedef struct _D3DKMT_MULTIPLANE_OVERLAY_FLAGS {
  union {
    struct {
      UINT VerticalFlip : 1;    // 0x00000001
      UINT HorizontalFlip : 1;  // 0x00000002
      UINT StaticCheck : 1;     // 0x00000004
      UINT Reserved : 29;
    };
    UINT Value;
  };
} D3DKMT_MULTIPLANE_OVERLAY_FLAGS;

typedef enum _D3DKMT_MULTIPLANE_OVERLAY_BLEND WDDM_ENUM {
  D3DKMT_MULTIPLANE_OVERLAY_BLEND_OPAQUE = 0,
  D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND = 1,
} D3DKMT_MULTIPLANE_OVERLAY_BLEND;

typedef enum _DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY WDDM_ENUM {
  DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY_BILINEAR = 1,
  DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY_HIGH = 2,
} DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY;

// D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, d3dkmthk.h. SrcRect is in the resource, the others on the screen.
typedef struct _D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 {
  UINT Flags;  // D3DKMT_MULTIPLANE_OVERLAY_FLAGS
  RECT SrcRect;
  RECT DstRect;
  RECT ClipRect;
  D3DDDI_ROTATION Rotation;
  D3DKMT_MULTIPLANE_OVERLAY_BLEND Blend;
  UINT DirtyRectCount;
  RECT* pDirtyRects;
  D3DDDI_COLOR_SPACE_TYPE ColorSpace;
  DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY StretchQuality;
  UINT SDRWhiteLevel;
} D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3;

// D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3, d3dkmthk.h. CompSurfaceLuid names a composition surface in place of hResource.
typedef struct _D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 {
  UINT LayerIndex;
  D3DKMT_HANDLE hResource;
  LUID CompSurfaceLuid;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3* pPlaneAttributes;
} D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS {
  union {
    struct {
      UINT VerticalFlip : 1;    // 0x00000001
      UINT HorizontalFlip : 1;  // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION {
  D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS Flags;
  RECT SrcRect;
  RECT DstRect;
  D3DDDI_ROTATION Rotation;
} D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE {
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION PostComposition;
} D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE;

typedef struct _D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO {
  union {
    struct {
      UINT FailingPlane : 4;  // 0x0000000F
      UINT TryAgain : 1;      // 0x00000010
      UINT Reserved : 27;
    };
    UINT Value;
  };
} D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO;

// D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3, d3dkmthk.h. Supported and ReturnInfo are answers.
typedef struct _D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 {
  D3DKMT_HANDLE hAdapter;
  D3DKMT_HANDLE hDevice;
  UINT PlaneCount;
  D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3** ppOverlayPlanes;
  UINT PostCompositionCount;
  D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE** ppPostComposition;
  BOOL Supported;
  D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo;
} D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3;

// D3DKMT_PLANE_SPECIFIC_INPUT_FLAGS, d3dkmthk.h.
typedef struct _D3DKMT_PLANE_SPECIFIC_INPUT_FLAGS {
  union {
    struct {
      UINT Enabled : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DKMT_PLANE_SPECIFIC_INPUT_FLAGS;

// D3DKMT_MULTIPLANE_OVERLAY3, d3dkmthk.h: one plane of a present. The allocations are one for each context. Layer 0 is on top.
typedef struct _D3DKMT_MULTIPLANE_OVERLAY3 {
  UINT LayerIndex;
  D3DKMT_PLANE_SPECIFIC_INPUT_FLAGS InputFlags;
  D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
  UINT MaxImmediateFlipLine;
  UINT AllocationCount;
  D3DKMT_HANDLE* pAllocationList;
  UINT DriverPrivateDataSize;
  VOID* pDriverPrivateData;
  CONST D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3* pPlaneAttributes;
  D3DKMT_HANDLE hFlipToFence;
  D3DKMT_HANDLE hFlipAwayFence;
  UINT64 FlipToFenceValue;
  UINT64 FlipAwayFenceValue;
} D3DKMT_MULTIPLANE_OVERLAY3;

// D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS, d3dkmthk.h.
typedef struct _D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS {
  union {
    struct {
      UINT FlipStereo : 1;               // 0x00000001
      UINT FlipStereoTemporaryMono : 1;  // 0x00000002
      UINT FlipStereoPreferRight : 1;    // 0x00000004
      UINT FlipDoNotWait : 1;            // 0x00000008
      UINT FlipDoNotFlip : 1;            // 0x00000010
      UINT FlipRestart : 1;              // 0x00000020
      UINT DurationValid : 1;            // 0x00000040
      UINT HDRMetaDataValid : 1;         // 0x00000080
      UINT HMD : 1;                      // 0x00000100
      UINT TrueImmediate : 1;            // 0x00000200
      UINT FromDDisplay : 1;             // 0x00000400
      UINT IndirectDisplay : 1;          // 0x00000800
      UINT Reserved : 20;
    };
    UINT Value;
  };
} D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS;

// D3DKMT_PRESENT_MULTIPLANE_OVERLAY3, d3dkmthk.h: all planes of a source at once; planes not named are off. For a disabled
// plane only the LayerIndex counts.
typedef struct _D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 {
  D3DKMT_HANDLE hAdapter;
  UINT ContextCount;
  D3DKMT_HANDLE* pContextList;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  UINT PresentCount;
  D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS Flags;
  UINT PresentPlaneCount;
  D3DKMT_MULTIPLANE_OVERLAY3** ppPresentPlanes;
  D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION* pPostComposition;
  UINT Duration;
  UINT HDRMetaDataType;  // D3DDDI_HDR_METADATA_TYPE
  UINT HDRMetaDataSize;
  CONST VOID* pHDRMetaData;
  UINT BoostRefreshRateMultiplier;
} D3DKMT_PRESENT_MULTIPLANE_OVERLAY3;

// Flips all planes together. Precondition: an overlay check without StaticCheck accepted them.
EXTERN_C NTSTATUS APIENTRY D3DKMTPresentMultiPlaneOverlay3(CONST D3DKMT_PRESENT_MULTIPLANE_OVERLAY3* pData);

// Tells whether the display adapter can show these planes together. A plane with StaticCheck must be the only one, without
// post-composition; the check then asks whether it could be scanned out at all.
EXTERN_C NTSTATUS APIENTRY D3DKMTCheckMultiPlaneOverlaySupport3(D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3* pData);
