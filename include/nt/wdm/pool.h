// Pool memory. Part of wdm.h. Public pages: "ExAllocatePoolWithTag", "ExAllocatePool2", "POOL_FLAGS".
#pragma once

#include "ntdef.h"

typedef enum _POOL_TYPE WDDM_ENUM {
  NonPagedPool = 0,
  NonPagedPoolExecute = 0,
  PagedPool = 1,
  NonPagedPoolMustSucceed = 2,
  NonPagedPoolCacheAligned = 4,
  PagedPoolCacheAligned = 5,
  NonPagedPoolNx = 512,
  NonPagedPoolNxCacheAligned = 516,
} POOL_TYPE;

// ExInitializeDriverRuntime and POOL_NX_OPTIN ask for nonpaged memory without code. All memory here is so.
#define POOL_NX_ALLOCATION 512
#define DrvRtPoolNxOptIn 0x00000001
#define ExInitializeDriverRuntime(RuntimeFlags) ((void)(RuntimeFlags))

typedef ULONG64 POOL_FLAGS;
#define POOL_FLAG_REQUIRED_START 0x1ull
#define POOL_FLAG_USE_QUOTA 0x1ull
#define POOL_FLAG_UNINITIALIZED 0x2ull
#define POOL_FLAG_SESSION 0x4ull
#define POOL_FLAG_CACHE_ALIGNED 0x8ull
#define POOL_FLAG_RAISE_ON_FAILURE 0x20ull
#define POOL_FLAG_NON_PAGED 0x40ull
#define POOL_FLAG_NON_PAGED_EXECUTE 0x80ull
#define POOL_FLAG_PAGED 0x100ull

// Paged pool: IRQL <= APC_LEVEL; nonpaged pool: IRQL <= DISPATCH_LEVEL. The memory of ExAllocatePool2 and ExAllocatePoolZero is
// zeroed, that of the others is filled with a pattern. NULL when there is no memory.
EXTERN_C PVOID NTAPI ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes);
EXTERN_C PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
EXTERN_C PVOID NTAPI ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
EXTERN_C PVOID NTAPI ExAllocatePoolUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
EXTERN_C PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag);
EXTERN_C VOID NTAPI ExFreePool(PVOID P);
EXTERN_C VOID NTAPI ExFreePoolWithTag(PVOID P, ULONG Tag);  // Tag 0: any.
#define ExAllocatePoolQuotaWithTag(PoolType, NumberOfBytes, Tag) ExAllocatePoolWithTag(PoolType, NumberOfBytes, Tag)
