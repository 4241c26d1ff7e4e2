// Allocations: create, open, describe, destroy. Part of d3dkmddi.h.
#pragma once

#include "d3dkmddi/allocation_info.h"

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
      UINT Create : 1;    // 0x00000001
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

// DXGKARG_FENCESTORAGEFLAGS and D3DKMDT_FENCESTORAGESURFACEDATA, d3dkmddi.h. The driver fills AllocationInfo.
typedef struct _DXGKARG_FENCESTORAGEFLAGS {
  UINT Reserved;
} DXGKARG_FENCESTORAGEFLAGS;

typedef struct _D3DKMDT_FENCESTORAGESURFACEDATA {
  UINT PhysicalAdapterIndex;
  DXGKARG_FENCESTORAGEVALUETYPE FenceStorageValueType;
  D3DDDI_NATIVEFENCE_TYPE FenceStorageType;
  UINT PrivateDriverDataSize;
  VOID* pPrivateDriverData;
  DXGKARG_FENCESTORAGEFLAGS Flags;
  UINT Reserved;
  DXGK_ALLOCATIONINFO AllocationInfo;
} D3DKMDT_FENCESTORAGESURFACEDATA;

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
typedef NTSTATUS APIENTRY DXGKDDI_CREATEALLOCATION(HANDLE hAdapter, DXGKARG_CREATEALLOCATION* pCreateAllocation);
typedef DXGKDDI_CREATEALLOCATION* PDXGKDDI_CREATEALLOCATION;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYALLOCATION(HANDLE hAdapter, CONST DXGKARG_DESTROYALLOCATION* pDestroyAllocation);
typedef DXGKDDI_DESTROYALLOCATION* PDXGKDDI_DESTROYALLOCATION;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_DESCRIBEALLOCATION(HANDLE hAdapter, DXGKARG_DESCRIBEALLOCATION* pDescribeAllocation);
typedef DXGKDDI_DESCRIBEALLOCATION* PDXGKDDI_DESCRIBEALLOCATION;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA(
    HANDLE hAdapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* pGetStandardAllocationDriverData);
typedef DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA* PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA;

// Makes allocations usable by a device. PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_OPENALLOCATIONINFO(HANDLE hDevice, CONST DXGKARG_OPENALLOCATION* pOpenAllocation);
typedef DXGKDDI_OPENALLOCATIONINFO* PDXGKDDI_OPENALLOCATIONINFO;

// PASSIVE_LEVEL, pageable, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_CLOSEALLOCATION(HANDLE hDevice, CONST DXGKARG_CLOSEALLOCATION* pCloseAllocation);
typedef DXGKDDI_CLOSEALLOCATION* PDXGKDDI_CLOSEALLOCATION;

// Hands the driver the backing store of an allocation, still inside its creation. PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_SETALLOCATIONBACKINGSTORE(HANDLE hAdapter, DXGKARG_SETALLOCATIONBACKINGSTORE* pArgs);
typedef DXGKDDI_SETALLOCATIONBACKINGSTORE* PDXGKDDI_SETALLOCATIONBACKINGSTORE;
