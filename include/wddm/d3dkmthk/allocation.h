// Allocations, residency and locks. Part of d3dkmthk.h.
#pragma once

#include "d3dkmdt.h"

// D3DKMT_STANDARDALLOCATIONTYPE and D3DKMT_CREATESTANDARDALLOCATION, d3dkmthk.h.
typedef enum _D3DKMT_STANDARDALLOCATIONTYPE WDDM_ENUM {
  D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP = 1,
  D3DKMT_STANDARDALLOCATIONTYPE_INTERNALBACKINGSTORE = 2,
  D3DKMT_STANDARDALLOCATIONTYPE_MAX = 3,
} D3DKMT_STANDARDALLOCATIONTYPE;

typedef struct _D3DKMT_STANDARDALLOCATION_EXISTINGHEAP {
  SIZE_T Size;
} D3DKMT_STANDARDALLOCATION_EXISTINGHEAP;

typedef struct _D3DKMT_CREATESTANDARDALLOCATIONFLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} D3DKMT_CREATESTANDARDALLOCATIONFLAGS;

typedef struct _D3DKMT_CREATESTANDARDALLOCATION {
  D3DKMT_STANDARDALLOCATIONTYPE Type;
  union {
    D3DKMT_STANDARDALLOCATION_EXISTINGHEAP ExistingHeapData;
  };
  D3DKMT_CREATESTANDARDALLOCATIONFLAGS Flags;
} D3DKMT_CREATESTANDARDALLOCATION;

// D3DKMT_CREATEALLOCATIONFLAGS, d3dkmthk.h. CreateShared needs CreateResource. OpenCrossAdapter is for
// the kernel's own use.
typedef struct _D3DKMT_CREATEALLOCATIONFLAGS {
  UINT CreateResource : 1;             // 0x00000001
  UINT CreateShared : 1;               // 0x00000002
  UINT NonSecure : 1;                  // 0x00000004
  UINT CreateProtected : 1;            // 0x00000008
  UINT RestrictSharedAccess : 1;       // 0x00000010
  UINT ExistingSysMem : 1;             // 0x00000020
  UINT NtSecuritySharing : 1;          // 0x00000040
  UINT ReadOnly : 1;                   // 0x00000080
  UINT CreateWriteCombined : 1;        // 0x00000100
  UINT CreateCached : 1;               // 0x00000200
  UINT SwapChainBackBuffer : 1;        // 0x00000400
  UINT CrossAdapter : 1;               // 0x00000800
  UINT OpenCrossAdapter : 1;           // 0x00001000
  UINT PartialSharedCreation : 1;      // 0x00002000
  UINT Zeroed : 1;                     // 0x00004000
  UINT WriteWatch : 1;                 // 0x00008000
  UINT StandardAllocation : 1;         // 0x00010000
  UINT ExistingSection : 1;            // 0x00020000
  UINT AllowNotZeroed : 1;             // 0x00040000
  UINT PhysicallyContiguous : 1;       // 0x00080000
  UINT NoKmdAccess : 1;                // 0x00100000
  UINT SharedDisplayable : 1;          // 0x00200000
  UINT NoImplicitSynchronization : 1;  // 0x00400000
  UINT Reserved : 9;
} D3DKMT_CREATEALLOCATIONFLAGS;

// D3DKMT_CREATEALLOCATION, d3dkmthk.h. D3DKMTCreateAllocation2 reads pAllocationInfo2.
typedef struct _D3DKMT_CREATEALLOCATION {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hResource;
  D3DKMT_HANDLE hGlobalShare;
  CONST VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
  union {
    D3DKMT_CREATESTANDARDALLOCATION* pStandardAllocation;
    CONST VOID* pPrivateDriverData;
  };
  UINT PrivateDriverDataSize;
  UINT NumAllocations;
  union {
    D3DDDI_ALLOCATIONINFO* pAllocationInfo;
    D3DDDI_ALLOCATIONINFO2* pAllocationInfo2;
  };
  D3DKMT_CREATEALLOCATIONFLAGS Flags;
  HANDLE hPrivateRuntimeResourceHandle;
} D3DKMT_CREATEALLOCATION;

// D3DKMT_DESTROYALLOCATION, d3dkmthk.h. An allocation of a resource loses its handle; its memory goes with the resource.
typedef struct _D3DKMT_DESTROYALLOCATION {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hResource;
  CONST D3DKMT_HANDLE* phAllocationList;
  UINT AllocationCount;
} D3DKMT_DESTROYALLOCATION;

// D3DKMT_DESTROYALLOCATION2, d3dkmthk.h: a whole resource, or a list of allocations.
typedef struct _D3DKMT_DESTROYALLOCATION2 {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hResource;
  CONST D3DKMT_HANDLE* phAllocationList;
  UINT AllocationCount;
  D3DDDICB_DESTROYALLOCATION2FLAGS Flags;
} D3DKMT_DESTROYALLOCATION2;

// D3DKMT_LOCK2 and D3DKMT_UNLOCK2, d3dkmthk.h.
typedef struct _D3DKMT_LOCK2 {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hAllocation;
  D3DDDICB_LOCK2FLAGS Flags;
  VOID* pData;
} D3DKMT_LOCK2;

typedef struct _D3DKMT_UNLOCK2 {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hAllocation;
} D3DKMT_UNLOCK2;

// D3DKMT_INVALIDATECACHE, d3dkmthk.h.
typedef struct _D3DKMT_INVALIDATECACHE {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hAllocation;
  SIZE_T Offset;
  SIZE_T Length;
} D3DKMT_INVALIDATECACHE;

// D3DKMT_EVICT, d3dkmthk.h.
typedef struct _D3DKMT_EVICT {
  D3DKMT_HANDLE hDevice;
  UINT NumAllocations;
  CONST D3DKMT_HANDLE* AllocationList;
  D3DDDI_EVICT_FLAGS Flags;
  ULONGLONG NumBytesToTrim;
} D3DKMT_EVICT;

// D3DKMT_ALLOCATIONRESIDENCYSTATUS and D3DKMT_QUERYALLOCATIONRESIDENCY, d3dkmthk.h. The query names a resource or a list of
// allocations.
typedef enum _D3DKMT_ALLOCATIONRESIDENCYSTATUS WDDM_ENUM {
  D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY = 1,
  D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY = 2,
  D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT = 3,
} D3DKMT_ALLOCATIONRESIDENCYSTATUS;

typedef struct _D3DKMT_QUERYALLOCATIONRESIDENCY {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hResource;
  CONST D3DKMT_HANDLE* phAllocationList;
  UINT AllocationCount;
  D3DKMT_ALLOCATIONRESIDENCYSTATUS* pResidencyStatus;
} D3DKMT_QUERYALLOCATIONRESIDENCY;

// D3DKMT_CREATEPAGINGQUEUE, d3dkmthk.h. FenceValueCPUVirtualAddress is mapped read-only.
typedef struct _D3DKMT_CREATEPAGINGQUEUE {
  D3DKMT_HANDLE hDevice;
  D3DDDI_PAGINGQUEUE_PRIORITY Priority;
  D3DKMT_HANDLE hPagingQueue;
  D3DKMT_HANDLE hSyncObject;
  VOID* FenceValueCPUVirtualAddress;
  UINT PhysicalAdapterIndex;
} D3DKMT_CREATEPAGINGQUEUE;

EXTERN_C NTSTATUS APIENTRY D3DKMTCreateAllocation(D3DKMT_CREATEALLOCATION* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTCreateAllocation2(D3DKMT_CREATEALLOCATION* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTDestroyAllocation(CONST D3DKMT_DESTROYALLOCATION* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTDestroyAllocation2(CONST D3DKMT_DESTROYALLOCATION2* pData);
// Maps an allocation for the CPU; does not wait for the GPU.
EXTERN_C NTSTATUS APIENTRY D3DKMTLock2(D3DKMT_LOCK2* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTUnlock2(CONST D3DKMT_UNLOCK2* pData);
// The processor sees what devices wrote into a locked allocation before this call.
EXTERN_C NTSTATUS APIENTRY D3DKMTInvalidateCache(CONST D3DKMT_INVALIDATECACHE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTCreatePagingQueue(D3DKMT_CREATEPAGINGQUEUE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTDestroyPagingQueue(D3DDDI_DESTROYPAGINGQUEUE* pData);
// Adds one residency reference to each allocation. STATUS_PENDING: they are resident when the fence reaches PagingFenceValue.
EXTERN_C NTSTATUS APIENTRY D3DKMTMakeResident(D3DDDI_MAKERESIDENT* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTEvict(D3DKMT_EVICT* pData);
// Returns the current status of each allocation; nothing moves.
EXTERN_C NTSTATUS APIENTRY D3DKMTQueryAllocationResidency(CONST D3DKMT_QUERYALLOCATIONRESIDENCY* pData);
