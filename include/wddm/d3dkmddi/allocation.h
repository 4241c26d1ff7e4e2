// Allocations: create, open, describe, destroy. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

// DXGK_CREATEALLOCATIONFLAGS, d3dkmddi.h.
typedef struct _DXGK_CREATEALLOCATIONFLAGS {
  union {
    struct {
      UINT Resource : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_CREATEALLOCATIONFLAGS;

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
      UINT CpuVisible : 1;  // 0x00000001
      UINT PermanentSysMem : 1;  // 0x00000002
      UINT Cached : 1;  // 0x00000004
      UINT Protected : 1;  // 0x00000008
      UINT ExistingSysMem : 1;  // 0x00000010
      UINT ExistingKernelSysMem : 1;  // 0x00000020
      UINT FromEndOfSegment : 1;  // 0x00000040
      UINT Swizzled : 1;  // 0x00000080
      UINT Overlay : 1;  // 0x00000100
      UINT Capture : 1;  // 0x00000200
      UINT UseAlternateVA : 1;  // 0x00000400
      UINT SynchronousPaging : 1;  // 0x00000800
      UINT LinkMirrored : 1;  // 0x00001000
      UINT LinkInstanced : 1;  // 0x00002000
      UINT HistoryBuffer : 1;  // 0x00004000
      UINT AccessedPhysically : 1;  // 0x00008000
      UINT ExplicitResidencyNotification : 1;  // 0x00010000
      UINT HardwareProtected : 1;  // 0x00020000
      UINT CpuVisibleOnDemand : 1;  // 0x00040000
      UINT DXGK_ALLOC_RESERVED16 : 1;  // 0x00080000
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
      UINT CpuVisible : 1;  // 0x00000001
      UINT PermanentSysMem : 1;  // 0x00000002
      UINT Cached : 1;  // 0x00000004
      UINT Protected : 1;  // 0x00000008
      UINT ExistingSysMem : 1;  // 0x00000010
      UINT ExistingKernelSysMem : 1;  // 0x00000020
      UINT FromEndOfSegment : 1;  // 0x00000040
      UINT DisableLargePageMapping : 1;  // 0x00000080
      UINT Overlay : 1;  // 0x00000100
      UINT Capture : 1;  // 0x00000200
      UINT CreateInVpr : 1;  // 0x00000400
      UINT DXGK_ALLOC_RESERVED17 : 1;  // 0x00000800
      UINT Reserved02 : 1;
      UINT MapApertureCpuVisible : 1;  // 0x00002000
      UINT HistoryBuffer : 1;  // 0x00004000
      UINT AccessedPhysically : 1;  // 0x00008000
      UINT ExplicitResidencyNotification : 1;  // 0x00010000
      UINT HardwareProtected : 1;  // 0x00020000
      UINT CpuVisibleOnDemand : 1;  // 0x00040000
      UINT DXGK_ALLOC_RESERVED16 : 1;  // 0x00080000
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
      UINT ShareBackingStoreWithKmd : 1;  // 0x00000001
      UINT NoImplicitSynchronization : 1;  // 0x00000002
      UINT DisablePartialResidency : 1;  // 0x00000004
      UINT RestrictedToSingleSegment : 1;  // 0x00000008
      UINT NotifyEviction : 1;  // 0x00000010
      UINT NotifyIoMmuUnmap : 1;  // 0x00000020
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

// DXGKARG_CREATEALLOCATION, d3dkmddi.h. hResource is in and out: NULL for a new resource.
typedef struct _DXGKARG_CREATEALLOCATION {
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT NumAllocations;
  DXGK_ALLOCATIONINFO* pAllocationInfo;
  HANDLE hResource;
  DXGK_CREATEALLOCATIONFLAGS Flags;
} DXGKARG_CREATEALLOCATION;

// DXGK_DESTROYALLOCATIONFLAGS and DXGKARG_DESTROYALLOCATION, d3dkmddi.h.
typedef struct _DXGK_DESTROYALLOCATIONFLAGS {
  union {
    struct {
      UINT DestroyResource : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESTROYALLOCATIONFLAGS;

typedef struct _DXGKARG_DESTROYALLOCATION {
  UINT NumAllocations;
  CONST HANDLE* pAllocationList;
  HANDLE hResource;
  DXGK_DESTROYALLOCATIONFLAGS Flags;
} DXGKARG_DESTROYALLOCATION;

// DXGK_OPENALLOCATIONFLAGS, DXGK_OPENALLOCATIONINFO, DXGKARG_OPENALLOCATION; d3dkmddi.h. On success
// every hDeviceSpecificAllocation is non-NULL. Private data may be written only with Flags.Create.
typedef struct _DXGK_OPENALLOCATIONFLAGS {
  union {
    struct {
      UINT Create : 1;  // 0x00000001
      UINT ReadOnly : 1;  // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_OPENALLOCATIONFLAGS;

typedef struct _DXGK_OPENALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hDeviceSpecificAllocation;
} DXGK_OPENALLOCATIONINFO;

typedef struct _DXGKARG_OPENALLOCATION {
  UINT NumAllocations;
  DXGK_OPENALLOCATIONINFO* pOpenAllocation;
  VOID* pPrivateDriverData;
  UINT PrivateDriverSize;
  DXGK_OPENALLOCATIONFLAGS Flags;
  UINT SubresourceIndex;
  SIZE_T SubresourceOffset;
  UINT Pitch;
} DXGKARG_OPENALLOCATION;

// DXGKARG_CLOSEALLOCATION, d3dkmddi.h.
typedef struct _DXGKARG_CLOSEALLOCATION {
  UINT NumAllocations;
  CONST HANDLE* pOpenHandleList;
} DXGKARG_CLOSEALLOCATION;

// DXGK_DESCRIBEALLOCATIONFLAGS and DXGKARG_DESCRIBEALLOCATION, d3dkmddi.h.
typedef struct _DXGK_DESCRIBEALLOCATIONFLAGS {
  union {
    struct {
      UINT CheckDisplayMode : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESCRIBEALLOCATIONFLAGS;

typedef struct _DXGKARG_DESCRIBEALLOCATION {
  HANDLE hAllocation;
  UINT Width;
  UINT Height;
  D3DDDIFORMAT Format;
  D3DDDI_MULTISAMPLINGMETHOD MultisampleMethod;
  D3DDDI_RATIONAL RefreshRate;
  UINT PrivateDriverFormatAttribute;
  DXGK_DESCRIBEALLOCATIONFLAGS Flags;
  D3DDDI_ROTATION Rotation;
} DXGKARG_DESCRIBEALLOCATION;

// DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA, d3dkmddi.h. Called twice: with NULL data pointers for the
// sizes, then with buffers.
typedef struct _DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
  D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
  union {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA* pCreateSharedPrimarySurfaceData;
    D3DKMDT_SHADOWSURFACEDATA* pCreateShadowSurfaceData;
    D3DKMDT_STAGINGSURFACEDATA* pCreateStagingSurfaceData;
    D3DKMDT_GDISURFACEDATA* pCreateGdiSurfaceData;
    D3DKMDT_VIRTUALGPUSURFACEDATA* pCreateVirtualGpuSurfaceData;
    D3DKMDT_FENCESTORAGESURFACEDATA* pCreateFenceStorageData;
  };
  VOID* pAllocationPrivateDriverData;
  UINT AllocationPrivateDriverDataSize;
  VOID* pResourcePrivateDriverData;
  UINT ResourcePrivateDriverDataSize;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;

// DXGKARG_SETALLOCATIONBACKINGSTORE, d3dkmddi.h. pBackingStore is a kernel address that stays valid
// until DestroyAllocation.
typedef struct _DXGKARG_SETALLOCATIONBACKINGSTORE {
  HANDLE hDriverAllocation;
  VOID* pBackingStore;
} DXGKARG_SETALLOCATIONBACKINGSTORE;

// Creates allocations that belong to the adapter, not to a device. PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_CREATEALLOCATION(
    HANDLE hAdapter, DXGKARG_CREATEALLOCATION* pCreateAllocation);
typedef DXGKDDI_CREATEALLOCATION* PDXGKDDI_CREATEALLOCATION;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYALLOCATION(
    HANDLE hAdapter, CONST DXGKARG_DESTROYALLOCATION* pDestroyAllocation);
typedef DXGKDDI_DESTROYALLOCATION* PDXGKDDI_DESTROYALLOCATION;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_DESCRIBEALLOCATION(
    HANDLE hAdapter, DXGKARG_DESCRIBEALLOCATION* pDescribeAllocation);
typedef DXGKDDI_DESCRIBEALLOCATION* PDXGKDDI_DESCRIBEALLOCATION;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA(
    HANDLE hAdapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* pGetStandardAllocationDriverData);
typedef DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA* PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA;

// Makes allocations usable by a device. PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_OPENALLOCATIONINFO(
    HANDLE hDevice, CONST DXGKARG_OPENALLOCATION* pOpenAllocation);
typedef DXGKDDI_OPENALLOCATIONINFO* PDXGKDDI_OPENALLOCATIONINFO;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_CLOSEALLOCATION(
    HANDLE hDevice, CONST DXGKARG_CLOSEALLOCATION* pCloseAllocation);
typedef DXGKDDI_CLOSEALLOCATION* PDXGKDDI_CLOSEALLOCATION;

// Hands the driver the backing store of an allocation, still inside its creation. PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_SETALLOCATIONBACKINGSTORE(
    HANDLE hAdapter, DXGKARG_SETALLOCATIONBACKINGSTORE* pSetAllocationBackingStore);
typedef DXGKDDI_SETALLOCATIONBACKINGSTORE* PDXGKDDI_SETALLOCATIONBACKINGSTORE;

// Callbacks on handles. DXGK_HANDLE_TYPE, d3dkmddi.h.
typedef enum _DXGK_HANDLE_TYPE WDDM_ENUM {
  DXGK_HANDLE_ALLOCATION = 1,
  DXGK_HANDLE_RESOURCE = 2,
} DXGK_HANDLE_TYPE;

typedef struct _DXGKCB_GETHANDLEDATAFLAGS {
  union {
    struct {
      UINT DeviceSpecific : 1;  // 0x00000001; with DXGK_HANDLE_ALLOCATION only
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGKCB_GETHANDLEDATAFLAGS;

// DXGKARGCB_GETHANDLEDATA, d3dkmddi.h.
typedef struct _DXGKARGCB_GETHANDLEDATA {
  D3DKMT_HANDLE hObject;
  DXGK_HANDLE_TYPE Type;
  DXGKCB_GETHANDLEDATAFLAGS Flags;
} DXGKARGCB_GETHANDLEDATA;

// DXGKARGCB_ENUMHANDLECHILDREN, d3dkmddi.h.
typedef struct _DXGKARGCB_ENUMHANDLECHILDREN {
  D3DKMT_HANDLE hObject;
  UINT Index;
} DXGKARGCB_ENUMHANDLECHILDREN;

// DXGKARGCB_RELEASEHANDLEDATA, d3dkmddi.h: ends what DxgkCbAcquireHandleData began.
typedef struct _DXGKARGCB_RELEASEHANDLEDATA {
  HANDLE ReleaseHandle;
  DXGK_HANDLE_TYPE Type;
} DXGKARGCB_RELEASEHANDLEDATA;

// Returns the driver's own pointer, NULL for an unknown handle. IRQL < DISPATCH_LEVEL.
typedef VOID*(APIENTRY* DXGKCB_GETHANDLEDATA)(CONST DXGKARGCB_GETHANDLEDATA* pData);

// Returns the resource of an allocation. IRQL < DISPATCH_LEVEL.
typedef D3DKMT_HANDLE(APIENTRY* DXGKCB_GETHANDLEPARENT)(D3DKMT_HANDLE hAllocation);

// Returns one allocation of a resource. PASSIVE_LEVEL.
typedef D3DKMT_HANDLE(APIENTRY* DXGKCB_ENUMHANDLECHILDREN)(
    CONST DXGKARGCB_ENUMHANDLECHILDREN* pEnumHandleChildren);

// IRQL <= APC_LEVEL.
typedef VOID*(APIENTRY* DXGKCB_ACQUIREHANDLEDATA)(CONST DXGKARGCB_GETHANDLEDATA* pData,
                                                  HANDLE* pReleaseHandle);

// IRQL <= APC_LEVEL.
typedef VOID(APIENTRY* DXGKCB_RELEASEHANDLEDATA)(DXGKARGCB_RELEASEHANDLEDATA ReleaseHandleData);
