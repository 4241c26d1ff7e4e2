// Capability bits of DXGK_DRIVERCAPS. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

// DXGK_POINTERFLAGS, d3dkmddi.h.
typedef struct _DXGK_POINTERFLAGS {
  union {
    struct {
      UINT Monochrome : 1;   // 0x00000001
      UINT Color : 1;        // 0x00000002
      UINT MaskedColor : 1;  // 0x00000004
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_POINTERFLAGS;

// DXGK_GAMMARAMPCAPS and DXGK_COLORTRANSFORMCAPS, d3dkmddi.h.
typedef struct _DXGK_GAMMARAMPCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_GAMMARAMPCAPS;

typedef struct _DXGK_COLORTRANSFORMCAPS {
  union {
    struct {
      UINT Gamma_Rgb256x3x16 : 1;              // 0x00000001
      UINT Gamma_Dxgi1 : 1;                    // 0x00000002
      UINT Transform_3x4Matrix : 1;            // 0x00000004
      UINT Transform_3x4Matrix_WideColor : 1;  // 0x00000008
      UINT Transform_3x4Matrix_HighColor : 1;  // 0x00000010
      UINT Transform_Matrix_V2 : 1;            // 0x00000020
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_COLORTRANSFORMCAPS;

// DXGK_PRESENTATIONCAPS, d3dkmddi.h.
typedef struct _DXGK_PRESENTATIONCAPS {
  union {
    struct {
      UINT NoScreenToScreenBlt : 1;               // 0x00000001
      UINT NoOverlapScreenBlt : 1;                // 0x00000002
      UINT SupportKernelModeCommandBuffer : 1;    // 0x00000004
      UINT NoSameBitmapAlphaBlend : 1;            // 0x00000008
      UINT NoSameBitmapStretchBlt : 1;            // 0x00000010
      UINT NoSameBitmapTransparentBlt : 1;        // 0x00000020
      UINT NoSameBitmapOverlappedAlphaBlend : 1;  // 0x00000040
      UINT NoSameBitmapOverlappedStretchBlt : 1;  // 0x00000080
      UINT DriverSupportsCddDwmInterop : 1;       // 0x00000100
      UINT Reserved0 : 1;
      UINT AlignmentShift : 4;                // 0x00003C00
      UINT MaxTextureWidthShift : 3;          // 0x0001C000
      UINT MaxTextureHeightShift : 3;         // 0x000E0000
      UINT SupportAllBltRops : 1;             // 0x00100000
      UINT SupportMirrorStretchBlt : 1;       // 0x00200000
      UINT SupportMonoStretchBltModes : 1;    // 0x00400000
      UINT StagingRectStartPitchAligned : 1;  // 0x00800000
      UINT NoSameBitmapBitBlt : 1;            // 0x01000000
      UINT NoSameBitmapOverlappedBitBlt : 1;  // 0x02000000
      UINT Reserved1 : 1;
      UINT NoTempSurfaceForClearTypeBlend : 1;  // 0x08000000
      UINT SupportSoftwareDeviceBitmaps : 1;    // 0x10000000
      UINT NoCacheCoherentApertureMemory : 1;   // 0x20000000
      UINT SupportLinearHeap : 1;               // 0x40000000
      UINT Reserved : 1;
    };
    UINT Value;
  };
} DXGK_PRESENTATIONCAPS;

// DXGK_FLIPCAPS, d3dkmddi.h. FlipIndependent is mandatory from WDDM 1.3.
typedef struct _DXGK_FLIPCAPS {
  union {
    struct {
      UINT FlipOnVSyncWithNoWait : 1;  // 0x00000001
      UINT FlipOnVSyncMmIo : 1;        // 0x00000002
      UINT FlipInterval : 1;           // 0x00000004
      UINT FlipImmediateMmIo : 1;      // 0x00000008
      UINT FlipIndependent : 1;        // 0x00000010
      UINT DdiPresentForIFlip : 1;     // 0x00000020
      UINT FlipImmediateOnHSync : 1;   // 0x00000040
      UINT Reserved : 25;
    };
    UINT Value;
  };
} DXGK_FLIPCAPS;

// DXGK_VIDSCHCAPS, d3dkmddi.h.
typedef struct _DXGK_VIDSCHCAPS {
  union {
    struct {
      UINT MultiEngineAware : 1;                       // 0x00000001
      UINT VSyncPowerSaveAware : 1;                    // 0x00000002
      UINT PreemptionAware : 1;                        // 0x00000004
      UINT NoDmaPatching : 1;                          // 0x00000008
      UINT CancelCommandAware : 1;                     // 0x00000010
      UINT No64BitAtomics : 1;                         // 0x00000020
      UINT LowIrqlPreemptCommand : 1;                  // 0x00000040
      UINT HwQueuePacketCap : 4;                       // 0x00000780
      UINT NativeGpuFence : 1;                         // 0x00000800
      UINT OptimizedNativeFenceSignaledInterrupt : 1;  // 0x00001000
      UINT Reserved : 19;
    };
    UINT Value;
  };
} DXGK_VIDSCHCAPS;

// DXGK_VIDMMCAPS, d3dkmddi.h. Cross-adapter tiers: CrossAdapterResource (copy),
// CrossAdapterResourceTexture, CrossAdapterResourceScanout; each tier includes those before it.
typedef struct _DXGK_VIDMMCAPS {
  union {
    struct {
      UINT OutOfOrderLock : 1;
      UINT DedicatedPagingEngine : 1;
      UINT PagingEngineCanSwizzle : 1;
      UINT SectionBackedPrimary : 1;
      UINT CrossAdapterResource : 1;
      UINT VirtualAddressingSupported : 1;
      UINT GpuMmuSupported : 1;
      UINT IoMmuSupported : 1;
      UINT ReplicateGdiContent : 1;
      UINT NonCpuVisiblePrimary : 1;
      UINT ParavirtualizationSupported : 1;
      UINT IoMmuSecureModeSupported : 1;
      UINT DisableSelfRefreshVRAMInS3 : 1;
      UINT IoMmuSecureModeRequired : 1;
      UINT MapAperture2Supported : 1;
      UINT CrossAdapterResourceTexture : 1;
      UINT CrossAdapterResourceScanout : 1;
      UINT AlwaysPoweredVRAM : 1;
      UINT Reserved : 14;
    };
    UINT Value;
  };
  UINT PagingNode;
} DXGK_VIDMMCAPS;
