// Allocation, patch-location and residency types; the memory part of d3dukmdt.h. Include d3dukmdt.h.
#pragma once

#include "d3dukmdt.h"

// D3DDDI_ALLOCATIONLIST, d3dukmdt.h: one allocation that a command buffer uses, as user mode names it.
typedef struct _D3DDDI_ALLOCATIONLIST {
  D3DKMT_HANDLE hAllocation;
  union {
    struct {
      UINT WriteOperation : 1;
      UINT DoNotRetireInstance : 1;
      UINT OfferPriority : 3;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} D3DDDI_ALLOCATIONLIST;

// D3DDDI_PATCHLOCATIONLIST, d3dukmdt.h. All offsets are bytes; SplitOffset strictly increases.
typedef struct _D3DDDI_PATCHLOCATIONLIST {
  UINT AllocationIndex;
  union {
    struct {
      UINT SlotId : 24;
      UINT Reserved : 8;
    };
    UINT Value;
  };
  UINT DriverId;
  UINT AllocationOffset;
  UINT PatchOffset;
  UINT SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;

// D3DDDI_SEGMENTPREFERENCE, d3dukmdt.h: five ordered segment ids, 0 for none.
typedef struct _D3DDDI_SEGMENTPREFERENCE {
  union {
    struct {
      UINT SegmentId0 : 5;
      UINT Direction0 : 1;
      UINT SegmentId1 : 5;
      UINT Direction1 : 1;
      UINT SegmentId2 : 5;
      UINT Direction2 : 1;
      UINT SegmentId3 : 5;
      UINT Direction3 : 1;
      UINT SegmentId4 : 5;
      UINT Direction4 : 1;
      UINT Reserved : 2;
    };
    UINT Value;
  };
} D3DDDI_SEGMENTPREFERENCE;

// D3DDDI_ALLOCATIONINFO, d3dukmdt.h.
typedef struct _D3DDDI_ALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  CONST VOID* pSystemMem;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  union {
    struct {
      UINT Primary : 1;
      UINT Stereo : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  } Flags;
} D3DDDI_ALLOCATIONINFO;

// D3DDDI_ALLOCATIONINFO2, d3dukmdt.h.
typedef struct _D3DDDI_ALLOCATIONINFO2 {
  D3DKMT_HANDLE hAllocation;
  union {
    HANDLE hSection;
    CONST VOID* pSystemMem;
  };
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  union {
    struct {
      UINT Primary : 1;
      UINT Stereo : 1;
      UINT OverridePriority : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  } Flags;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
  union {
    UINT Priority;
    ULONG_PTR Unused;
  };
  ULONG_PTR Reserved[5];
} D3DDDI_ALLOCATIONINFO2;

// D3DDDI_OPENALLOCATIONINFO and its second form, d3dukmdt.h.
typedef struct _D3DDDI_OPENALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
} D3DDDI_OPENALLOCATIONINFO;

typedef struct _D3DDDI_OPENALLOCATIONINFO2 {
  D3DKMT_HANDLE hAllocation;
  CONST VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
  ULONG_PTR Reserved[6];
} D3DDDI_OPENALLOCATIONINFO2;

// D3DDDICB_LOCK2FLAGS, d3dukmdt.h.
typedef struct _D3DDDICB_LOCK2FLAGS {
  union {
    UINT Reserved;
    UINT Value;
  };
} D3DDDICB_LOCK2FLAGS;

// D3DDDICB_LOCKFLAGS, d3dukmdt.h.
typedef struct _D3DDDICB_LOCKFLAGS {
  union {
    struct {
      UINT ReadOnly : 1;             // 0x00000001
      UINT WriteOnly : 1;            // 0x00000002
      UINT DonotWait : 1;            // 0x00000004
      UINT IgnoreSync : 1;           // 0x00000008
      UINT LockEntire : 1;           // 0x00000010
      UINT DonotEvict : 1;           // 0x00000020
      UINT AcquireAperture : 1;      // 0x00000040
      UINT Discard : 1;              // 0x00000080
      UINT NoExistingReference : 1;  // 0x00000100
      UINT UseAlternateVA : 1;       // 0x00000200
      UINT IgnoreReadSync : 1;       // 0x00000400
      UINT Reserved : 21;
    };
    UINT Value;
  };
} D3DDDICB_LOCKFLAGS;

// D3DDDICB_DESTROYALLOCATION2FLAGS, d3dukmdt.h.
typedef struct _D3DDDICB_DESTROYALLOCATION2FLAGS {
  union {
    struct {
      UINT AssumeNotInUse : 1;      // 0x00000001
      UINT SynchronousDestroy : 1;  // 0x00000002
      UINT Reserved : 29;
      UINT SystemUseOnly : 1;  // 0x80000000
    };
    UINT Value;
  };
} D3DDDICB_DESTROYALLOCATION2FLAGS;

// D3DDDI_MAKERESIDENT_FLAGS, d3dukmdt.h. MustSucceed needs CantTrimFurther.
typedef struct _D3DDDI_MAKERESIDENT_FLAGS {
  union {
    struct {
      UINT CantTrimFurther : 1;  // 0x00000001
      UINT MustSucceed : 1;      // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DDDI_MAKERESIDENT_FLAGS;

// D3DDDI_MAKERESIDENT, d3dukmdt.h.
typedef struct _D3DDDI_MAKERESIDENT {
  D3DKMT_HANDLE hPagingQueue;
  UINT NumAllocations;
  CONST D3DKMT_HANDLE* AllocationList;
  CONST UINT* PriorityList;
  D3DDDI_MAKERESIDENT_FLAGS Flags;
  ULONGLONG PagingFenceValue;
  ULONGLONG NumBytesToTrim;
} D3DDDI_MAKERESIDENT;

// D3DDDI_EVICT_FLAGS, d3dukmdt.h.
typedef struct _D3DDDI_EVICT_FLAGS {
  union {
    struct {
      UINT EvictOnlyIfNecessary : 1;  // 0x00000001
      UINT NotWrittenTo : 1;          // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DDDI_EVICT_FLAGS;

// D3DDDI_PAGINGQUEUE_PRIORITY and D3DDDI_DESTROYPAGINGQUEUE, d3dukmdt.h.
typedef enum _D3DDDI_PAGINGQUEUE_PRIORITY WDDM_ENUM {
  D3DDDI_PAGINGQUEUE_PRIORITY_BELOW_NORMAL = -1,
  D3DDDI_PAGINGQUEUE_PRIORITY_NORMAL = 0,
  D3DDDI_PAGINGQUEUE_PRIORITY_ABOVE_NORMAL = 1,
} D3DDDI_PAGINGQUEUE_PRIORITY;

typedef struct D3DDDI_DESTROYPAGINGQUEUE {
  D3DKMT_HANDLE hPagingQueue;
} D3DDDI_DESTROYPAGINGQUEUE;
