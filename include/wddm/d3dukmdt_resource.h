// Resources as Direct3D 9 creates them; part of d3dukmdt.h.
#pragma once

#include "d3dukmdt.h"

// D3DDDI_POOL, d3dukmdt.h.
typedef enum _D3DDDI_POOL WDDM_ENUM {
  D3DDDIPOOL_SYSTEMMEM = 1,
  D3DDDIPOOL_VIDEOMEMORY = 2,
  D3DDDIPOOL_LOCALVIDMEM = 3,
  D3DDDIPOOL_NONLOCALVIDMEM = 4,
  D3DDDIPOOL_STAGINGMEM = 5,
} D3DDDI_POOL;

// D3DDDIMULTISAMPLE_TYPE, d3dukmdt.h: the number of samples from 2 on.
typedef enum _D3DDDIMULTISAMPLE_TYPE WDDM_ENUM {
  D3DDDIMULTISAMPLE_NONE = 0,
  D3DDDIMULTISAMPLE_NONMASKABLE = 1,
  D3DDDIMULTISAMPLE_2_SAMPLES = 2,
  D3DDDIMULTISAMPLE_3_SAMPLES = 3,
  D3DDDIMULTISAMPLE_4_SAMPLES = 4,
  D3DDDIMULTISAMPLE_5_SAMPLES = 5,
  D3DDDIMULTISAMPLE_6_SAMPLES = 6,
  D3DDDIMULTISAMPLE_7_SAMPLES = 7,
  D3DDDIMULTISAMPLE_8_SAMPLES = 8,
  D3DDDIMULTISAMPLE_9_SAMPLES = 9,
  D3DDDIMULTISAMPLE_10_SAMPLES = 10,
  D3DDDIMULTISAMPLE_11_SAMPLES = 11,
  D3DDDIMULTISAMPLE_12_SAMPLES = 12,
  D3DDDIMULTISAMPLE_13_SAMPLES = 13,
  D3DDDIMULTISAMPLE_14_SAMPLES = 14,
  D3DDDIMULTISAMPLE_15_SAMPLES = 15,
  D3DDDIMULTISAMPLE_16_SAMPLES = 16,
  D3DDDIMULTISAMPLE_FORCE_UINT = 0x7fffffff,
} D3DDDIMULTISAMPLE_TYPE;

// D3DDDI_RESOURCEFLAGS, d3dukmdt.h.
typedef struct _D3DDDI_RESOURCEFLAGS {
  union {
    struct {
      UINT RenderTarget : 1;              // 0x00000001
      UINT ZBuffer : 1;                   // 0x00000002
      UINT Dynamic : 1;                   // 0x00000004
      UINT HintStatic : 1;                // 0x00000008
      UINT AutogenMipmap : 1;             // 0x00000010
      UINT DMap : 1;                      // 0x00000020
      UINT WriteOnly : 1;                 // 0x00000040
      UINT NotLockable : 1;               // 0x00000080
      UINT Points : 1;                    // 0x00000100
      UINT RtPatches : 1;                 // 0x00000200
      UINT NPatches : 1;                  // 0x00000400
      UINT SharedResource : 1;            // 0x00000800
      UINT DiscardRenderTarget : 1;       // 0x00001000
      UINT Video : 1;                     // 0x00002000
      UINT CaptureBuffer : 1;             // 0x00004000
      UINT Primary : 1;                   // 0x00008000
      UINT Texture : 1;                   // 0x00010000
      UINT CubeMap : 1;                   // 0x00020000
      UINT Volume : 1;                    // 0x00040000
      UINT VertexBuffer : 1;              // 0x00080000
      UINT IndexBuffer : 1;               // 0x00100000
      UINT DecodeRenderTarget : 1;        // 0x00200000
      UINT DecodeCompressedBuffer : 1;    // 0x00400000
      UINT VideoProcessRenderTarget : 1;  // 0x00800000
      UINT CpuOptimized : 1;              // 0x01000000
      UINT MightDrawFromLocked : 1;       // 0x02000000
      UINT Overlay : 1;                   // 0x04000000
      UINT MatchGdiPrimary : 1;           // 0x08000000
      UINT InterlacedRefresh : 1;         // 0x10000000
      UINT TextApi : 1;                   // 0x20000000
      UINT RestrictedContent : 1;         // 0x40000000
      UINT RestrictSharedAccess : 1;      // 0x80000000
    };
    UINT Value;
  };
} D3DDDI_RESOURCEFLAGS;

// D3DDDI_RESOURCEFLAGS2, d3dukmdt.h. CrossAdapter: since WDDM 1.3.
typedef struct _D3DDDI_RESOURCEFLAGS2 {
  union {
    struct {
      UINT VideoEncoder : 1;   // 0x00000001
      UINT UserMemory : 1;     // 0x00000002
      UINT CrossAdapter : 1;   // 0x00000004
      UINT IsDisplayable : 1;  // 0x00000008
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DDDI_RESOURCEFLAGS2;

// D3DDDI_SURFACEINFO, d3dukmdt.h: one subresource. pSysMem is for D3DDDIPOOL_SYSTEMMEM.
typedef struct _D3DDDI_SURFACEINFO {
  UINT Width;
  UINT Height;
  UINT Depth;
  CONST VOID* pSysMem;
  UINT SysMemPitch;
  UINT SysMemSlicePitch;
} D3DDDI_SURFACEINFO;

// D3DDDIARG_CREATERESOURCE and D3DDDIARG_CREATERESOURCE2, d3dukmdt.h. hResource is the runtime's handle on input, the
// driver's on output.
typedef struct _D3DDDIARG_CREATERESOURCE {
  D3DDDIFORMAT Format;
  D3DDDI_POOL Pool;
  D3DDDIMULTISAMPLE_TYPE MultisampleType;
  UINT MultisampleQuality;
  CONST D3DDDI_SURFACEINFO* pSurfList;
  UINT SurfCount;
  UINT MipLevels;
  UINT Fvf;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_RATIONAL RefreshRate;
  HANDLE hResource;
  D3DDDI_RESOURCEFLAGS Flags;
  D3DDDI_ROTATION Rotation;
} D3DDDIARG_CREATERESOURCE;

typedef struct _D3DDDIARG_CREATERESOURCE2 {
  D3DDDIFORMAT Format;
  D3DDDI_POOL Pool;
  D3DDDIMULTISAMPLE_TYPE MultisampleType;
  UINT MultisampleQuality;
  CONST D3DDDI_SURFACEINFO* pSurfList;
  UINT SurfCount;
  UINT MipLevels;
  UINT Fvf;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DDDI_RATIONAL RefreshRate;
  HANDLE hResource;
  D3DDDI_RESOURCEFLAGS Flags;
  D3DDDI_ROTATION Rotation;
  D3DDDI_RESOURCEFLAGS2 Flags2;
} D3DDDIARG_CREATERESOURCE2;
