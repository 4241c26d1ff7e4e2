// DXGK_ALLOCATIONINFO and its flags. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

// DXGK_SEGMENTBANKPREFERENCE, d3dkmddi.h.
typedef struct _DXGK_SEGMENTBANKPREFERENCE {
  union {
    struct {
      UINT Bank0 : 7;
      UINT Direction0 : 1;
      UINT Bank1 : 7;
      UINT Direction1 : 1;
      UINT Bank2 : 7;
      UINT Direction2 : 1;
      UINT Bank3 : 7;
      UINT Direction3 : 1;
    };
    UINT Value;
  };
} DXGK_SEGMENTBANKPREFERENCE;

// DXGK_ALLOCATIONINFOFLAGS, d3dkmddi.h: the meaning before WDDM 2.0.
typedef struct _DXGK_ALLOCATIONINFOFLAGS {
  union {
    struct {
      UINT CpuVisible : 1;                     // 0x00000001
      UINT PermanentSysMem : 1;                // 0x00000002
      UINT Cached : 1;                         // 0x00000004
      UINT Protected : 1;                      // 0x00000008
      UINT ExistingSysMem : 1;                 // 0x00000010
      UINT ExistingKernelSysMem : 1;           // 0x00000020
      UINT FromEndOfSegment : 1;               // 0x00000040
      UINT Swizzled : 1;                       // 0x00000080
      UINT Overlay : 1;                        // 0x00000100
      UINT Capture : 1;                        // 0x00000200
      UINT UseAlternateVA : 1;                 // 0x00000400
      UINT SynchronousPaging : 1;              // 0x00000800
      UINT LinkMirrored : 1;                   // 0x00001000
      UINT LinkInstanced : 1;                  // 0x00002000
      UINT HistoryBuffer : 1;                  // 0x00004000
      UINT AccessedPhysically : 1;             // 0x00008000
      UINT ExplicitResidencyNotification : 1;  // 0x00010000
      UINT HardwareProtected : 1;              // 0x00020000
      UINT CpuVisibleOnDemand : 1;             // 0x00040000
      UINT DXGK_ALLOC_RESERVED16 : 1;          // 0x00080000
      UINT Reserved15 : 1;
      UINT Reserved14 : 1;
      UINT Reserved13 : 1;
      UINT Reserved12 : 1;
      UINT Reserved11 : 1;
      UINT Reserved10 : 1;
      UINT Reserved9 : 1;
      UINT Reserved4 : 1;
      UINT Reserved3 : 1;
      UINT Reserved2 : 1;
      UINT Reserved1 : 1;
      UINT Reserved0 : 1;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS;

// DXGK_ALLOCATIONINFOFLAGS_WDDM2_0, d3dkmddi.h.
typedef struct _DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 {
  union {
    struct {
      UINT CpuVisible : 1;               // 0x00000001
      UINT PermanentSysMem : 1;          // 0x00000002
      UINT Cached : 1;                   // 0x00000004
      UINT Protected : 1;                // 0x00000008
      UINT ExistingSysMem : 1;           // 0x00000010
      UINT ExistingKernelSysMem : 1;     // 0x00000020
      UINT FromEndOfSegment : 1;         // 0x00000040
      UINT DisableLargePageMapping : 1;  // 0x00000080
      UINT Overlay : 1;                  // 0x00000100
      UINT Capture : 1;                  // 0x00000200
      UINT CreateInVpr : 1;              // 0x00000400
      UINT DXGK_ALLOC_RESERVED17 : 1;    // 0x00000800
      UINT Reserved02 : 1;
      UINT MapApertureCpuVisible : 1;          // 0x00002000
      UINT HistoryBuffer : 1;                  // 0x00004000
      UINT AccessedPhysically : 1;             // 0x00008000
      UINT ExplicitResidencyNotification : 1;  // 0x00010000
      UINT HardwareProtected : 1;              // 0x00020000
      UINT CpuVisibleOnDemand : 1;             // 0x00040000
      UINT DXGK_ALLOC_RESERVED16 : 1;          // 0x00080000
      UINT Reserved15 : 1;
      UINT Reserved14 : 1;
      UINT Reserved13 : 1;
      UINT Reserved12 : 1;
      UINT Reserved11 : 1;
      UINT Reserved10 : 1;
      UINT Reserved9 : 1;
      UINT Reserved4 : 1;
      UINT Reserved3 : 1;
      UINT Reserved2 : 1;
      UINT Reserved1 : 1;
      UINT Reserved0 : 1;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;

// DXGK_ALLOCATIONINFOFLAGS2, d3dkmddi.h. ShareBackingStoreWithKmd needs the enabled feature
// DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD.
typedef struct _DXGK_ALLOCATIONINFOFLAGS2 {
  union {
    struct {
      UINT ShareBackingStoreWithKmd : 1;   // 0x00000001
      UINT NoImplicitSynchronization : 1;  // 0x00000002
      UINT DisablePartialResidency : 1;    // 0x00000004
      UINT RestrictedToSingleSegment : 1;  // 0x00000008
      UINT NotifyEviction : 1;             // 0x00000010
      UINT NotifyIoMmuUnmap : 1;           // 0x00000020
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS2;

// DXGK_ALLOCATIONUSAGEHINT, d3dkmddi.h.
typedef struct _DXGK_ALLOCATIONUSAGEINFO1 {
  union {
    struct {
      UINT PrivateFormat : 1;
      UINT Swizzled : 1;
      UINT MipMap : 1;
      UINT Cube : 1;
      UINT Volume : 1;
      UINT Vertex : 1;
      UINT Index : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  } Flags;
  union {
    D3DDDIFORMAT Format;
    UINT PrivateFormat;
  };
  UINT SwizzledFormat;
  UINT ByteOffset;
  UINT Width;
  UINT Height;
  UINT Pitch;
  UINT Depth;
  UINT SlicePitch;
} DXGK_ALLOCATIONUSAGEINFO1;

typedef struct _DXGK_ALLOCATIONUSAGEHINT {
  UINT Version;
  DXGK_ALLOCATIONUSAGEINFO1 v1;
} DXGK_ALLOCATIONUSAGEHINT;

// DXGK_ALLOCATIONINFO, d3dkmddi.h. The driver sets Size, Alignment, the segment sets, the flags,
// hAllocation and AllocationPriority (0 is invalid). The preferred segment must lie in the supported
// set, the eviction set may name aperture segments only, PitchAlignedSize is 0 or at least Size.
// From WDDM 2.0 only SupportedWriteSegmentSet counts and the flags are FlagsWddm2.
typedef struct _DXGK_ALLOCATIONINFO {
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  union {
    UINT Alignment;
    struct {
      UINT16 MinimumPageSize;
      UINT16 RecommendedPageSize;
    };
  };
  SIZE_T Size;
  SIZE_T PitchAlignedSize;
  DXGK_SEGMENTBANKPREFERENCE HintedBank;
  D3DDDI_SEGMENTPREFERENCE PreferredSegment;
  union {
    UINT SupportedReadSegmentSet;
    UINT MmuSet;
  };
  UINT SupportedWriteSegmentSet;
  UINT EvictionSegmentSet;
  union {
    UINT MaximumRenamingListLength;
    UINT PhysicalAdapterIndex;
  };
  HANDLE hAllocation;
  union {
    DXGK_ALLOCATIONINFOFLAGS Flags;
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
  };
  DXGK_ALLOCATIONUSAGEHINT* pAllocationUsageHint;
  UINT AllocationPriority;
  DXGK_ALLOCATIONINFOFLAGS2 Flags2;
} DXGK_ALLOCATIONINFO;
