// Video memory as a whole: the budget of a process, and allocations that it can do without for a while. Part of d3dkmthk.h.
#pragma once

#include "d3dkmdt.h"

// D3DKMT_MEMORY_SEGMENT_GROUP, d3dkmthk.h.
typedef enum _D3DKMT_MEMORY_SEGMENT_GROUP WDDM_ENUM {
  D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL = 0,
  D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL = 1,
} D3DKMT_MEMORY_SEGMENT_GROUP;

// D3DKMT_QUERYVIDEOMEMORYINFO, d3dkmthk.h. All amounts are bytes; hProcess NULL is the caller's process.
typedef struct _D3DKMT_QUERYVIDEOMEMORYINFO {
  HANDLE hProcess;
  D3DKMT_HANDLE hAdapter;
  D3DKMT_MEMORY_SEGMENT_GROUP MemorySegmentGroup;
  UINT64 Budget;
  UINT64 CurrentUsage;
  UINT64 CurrentReservation;
  UINT64 AvailableForReservation;
  UINT PhysicalAdapterIndex;
} D3DKMT_QUERYVIDEOMEMORYINFO;

// D3DKMT_CHANGEVIDEOMEMORYRESERVATION, d3dkmthk.h. Bytes.
typedef struct _D3DKMT_CHANGEVIDEOMEMORYRESERVATION {
  HANDLE hProcess;
  D3DKMT_HANDLE hAdapter;
  D3DKMT_MEMORY_SEGMENT_GROUP MemorySegmentGroup;
  UINT64 Reservation;
  UINT PhysicalAdapterIndex;
} D3DKMT_CHANGEVIDEOMEMORYRESERVATION;

// D3DKMT_OFFER_PRIORITY and D3DKMT_OFFER_FLAGS, d3dkmthk.h.
typedef enum _D3DKMT_OFFER_PRIORITY WDDM_ENUM {
  D3DKMT_OFFER_PRIORITY_LOW = 1,
  D3DKMT_OFFER_PRIORITY_NORMAL = 2,
  D3DKMT_OFFER_PRIORITY_HIGH = 3,
  D3DKMT_OFFER_PRIORITY_AUTO = 4,
} D3DKMT_OFFER_PRIORITY;

typedef struct _D3DKMT_OFFER_FLAGS {
  union {
    struct {
      UINT OfferImmediately : 1;  // 0x00000001
      UINT AllowDecommit : 1;     // 0x00000002
      UINT Reserved : 30;
    };
    UINT Value;
  };
} D3DKMT_OFFER_FLAGS;

// D3DKMT_OFFERALLOCATIONS, d3dkmthk.h: either resources or allocations.
typedef struct _D3DKMT_OFFERALLOCATIONS {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE* pResources;
  CONST D3DKMT_HANDLE* HandleList;
  UINT NumAllocations;
  D3DKMT_OFFER_PRIORITY Priority;
  D3DKMT_OFFER_FLAGS Flags;
} D3DKMT_OFFERALLOCATIONS;

// D3DDDI_RECLAIM_RESULT, d3dukmdt.h.
typedef enum _D3DDDI_RECLAIM_RESULT WDDM_ENUM {
  D3DDDI_RECLAIM_RESULT_OK = 0,
  D3DDDI_RECLAIM_RESULT_DISCARDED = 1,
  D3DDDI_RECLAIM_RESULT_NOT_COMMITTED = 2,
} D3DDDI_RECLAIM_RESULT;

// D3DKMT_RECLAIMALLOCATIONS2, d3dkmthk.h. pResults has one element for each handle, or is NULL.
typedef struct _D3DKMT_RECLAIMALLOCATIONS2 {
  D3DKMT_HANDLE hPagingQueue;
  UINT NumAllocations;
  D3DKMT_HANDLE* pResources;
  CONST D3DKMT_HANDLE* HandleList;
  union {
    BOOL* pDiscarded;
    D3DDDI_RECLAIM_RESULT* pResults;
  };
  UINT64 PagingFenceValue;
} D3DKMT_RECLAIMALLOCATIONS2;

EXTERN_C NTSTATUS APIENTRY D3DKMTQueryVideoMemoryInfo(D3DKMT_QUERYVIDEOMEMORYINFO* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTChangeVideoMemoryReservation(CONST D3DKMT_CHANGEVIDEOMEMORYRESERVATION* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOfferAllocations(CONST D3DKMT_OFFERALLOCATIONS* pData);
// STATUS_PENDING: the allocations are back when the fence reaches PagingFenceValue.
EXTERN_C NTSTATUS APIENTRY D3DKMTReclaimAllocations2(D3DKMT_RECLAIMALLOCATIONS2* pData);
