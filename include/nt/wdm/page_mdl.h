// MDLs with pages of their own, and parts of MDLs. Part of wdm.h. Public page: "MmAllocatePagesForMdlEx".
#pragma once

#include "wdm/mm.h"

#define MM_DONT_ZERO_ALLOCATION 0x00000001
#define MM_ALLOCATE_FROM_LOCAL_NODE_ONLY 0x00000002
#define MM_ALLOCATE_FULLY_REQUIRED 0x00000004
#define MM_ALLOCATE_NO_WAIT 0x00000008
#define MM_ALLOCATE_PREFER_CONTIGUOUS 0x00000010
#define MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS 0x00000020

// NULL: no memory. The pages go by MmFreePagesFromMdl, then the MDL by ExFreePool. IRQL <= DISPATCH_LEVEL; without Ex and for the
// freeing: <= APC_LEVEL.
EXTERN_C PMDL NTAPI MmAllocatePagesForMdl(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS SkipBytes,
                                          SIZE_T TotalBytes);
EXTERN_C PMDL NTAPI MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS SkipBytes,
                                            SIZE_T TotalBytes, MEMORY_CACHING_TYPE CacheType, ULONG Flags);
EXTERN_C VOID NTAPI MmFreePagesFromMdl(PMDL MemoryDescriptorList);
EXTERN_C PVOID NTAPI MmMapLockedPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode);
#define MmProtectMdlSystemAddress(MemoryDescriptorList, NewProtect) STATUS_SUCCESS
EXTERN_C PVOID NTAPI MmAllocateNonCachedMemory(SIZE_T NumberOfBytes);
EXTERN_C VOID NTAPI MmFreeNonCachedMemory(PVOID BaseAddress, SIZE_T NumberOfBytes);
