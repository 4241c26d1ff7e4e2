// Interlocked singly linked lists, and lookaside lists, which keep freed blocks for the next allocation. Part of wdm.h. Public
// pages: "Using Lookaside Lists", "Singly and Doubly Linked Lists". IRQL <= DISPATCH_LEVEL; paged lists: <= APC_LEVEL.
#pragma once

#include "ntdef.h"
#include "wdm/pool.h"

typedef struct DECLSPEC_ALIGN(16) _SLIST_ENTRY {
  struct _SLIST_ENTRY* Next;
} SLIST_ENTRY;
typedef SLIST_ENTRY* PSLIST_ENTRY;

typedef union DECLSPEC_ALIGN(16) _SLIST_HEADER {
  struct {
    ULONGLONG Alignment;
    ULONGLONG Region;
  };
  struct {  // Of the driver host.
    PSLIST_ENTRY First;
    LONG Lock;
    USHORT Depth;
    USHORT Sequence;
  } Host;
} SLIST_HEADER;
typedef SLIST_HEADER* PSLIST_HEADER;

EXTERN_C VOID NTAPI InitializeSListHead(PSLIST_HEADER SListHead);
#define ExInitializeSListHead(SListHead) InitializeSListHead(SListHead)
EXTERN_C PSLIST_ENTRY NTAPI ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry);
EXTERN_C PSLIST_ENTRY NTAPI ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead);
EXTERN_C PSLIST_ENTRY NTAPI ExpInterlockedFlushSList(PSLIST_HEADER ListHead);
EXTERN_C USHORT NTAPI ExQueryDepthSList(PSLIST_HEADER SListHead);
#define ExInterlockedPushEntrySList(ListHead, ListEntry, Lock) ExpInterlockedPushEntrySList(ListHead, ListEntry)
#define ExInterlockedPopEntrySList(ListHead, Lock) ExpInterlockedPopEntrySList(ListHead)
#define ExInterlockedFlushSList(ListHead) ExpInterlockedFlushSList(ListHead)
#define InterlockedPushEntrySList(ListHead, ListEntry) ExpInterlockedPushEntrySList(ListHead, ListEntry)
#define InterlockedPopEntrySList(ListHead) ExpInterlockedPopEntrySList(ListHead)
#define InterlockedFlushSList(ListHead) ExpInterlockedFlushSList(ListHead)

typedef struct _LOOKASIDE_LIST_EX LOOKASIDE_LIST_EX;
typedef LOOKASIDE_LIST_EX* PLOOKASIDE_LIST_EX;
typedef PVOID ALLOCATE_FUNCTION(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag);
typedef ALLOCATE_FUNCTION* PALLOCATE_FUNCTION;
typedef VOID FREE_FUNCTION(PVOID Buffer);
typedef FREE_FUNCTION* PFREE_FUNCTION;
typedef PVOID ALLOCATE_FUNCTION_EX(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag, PLOOKASIDE_LIST_EX Lookaside);
typedef ALLOCATE_FUNCTION_EX* PALLOCATE_FUNCTION_EX;
typedef VOID FREE_FUNCTION_EX(PVOID Buffer, PLOOKASIDE_LIST_EX Lookaside);
typedef FREE_FUNCTION_EX* PFREE_FUNCTION_EX;

typedef struct DECLSPEC_CACHEALIGN _GENERAL_LOOKASIDE {
  SLIST_HEADER ListHead;
  USHORT Depth;  // Most blocks that are kept.
  USHORT MaximumDepth;
  ULONG TotalAllocates;
  ULONG AllocateMisses;
  ULONG TotalFrees;
  ULONG FreeMisses;
  POOL_TYPE Type;
  ULONG Tag;
  ULONG Size;
  union {
    PALLOCATE_FUNCTION Allocate;
    PALLOCATE_FUNCTION_EX AllocateEx;
  };
  union {
    PFREE_FUNCTION Free;
    PFREE_FUNCTION_EX FreeEx;
  };
} GENERAL_LOOKASIDE;
typedef GENERAL_LOOKASIDE* PGENERAL_LOOKASIDE;

typedef struct _NPAGED_LOOKASIDE_LIST {
  GENERAL_LOOKASIDE L;
} NPAGED_LOOKASIDE_LIST;
typedef NPAGED_LOOKASIDE_LIST* PNPAGED_LOOKASIDE_LIST;
typedef struct _PAGED_LOOKASIDE_LIST {
  GENERAL_LOOKASIDE L;
} PAGED_LOOKASIDE_LIST;
typedef PAGED_LOOKASIDE_LIST* PPAGED_LOOKASIDE_LIST;
struct _LOOKASIDE_LIST_EX {
  GENERAL_LOOKASIDE L;
};

#define EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL 1ul
#define EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE 2ul

EXTERN_C VOID NTAPI ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate,
                                                    PFREE_FUNCTION Free, ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth);
EXTERN_C VOID NTAPI ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside);
EXTERN_C PVOID NTAPI ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside);
EXTERN_C VOID NTAPI ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry);
EXTERN_C VOID NTAPI ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate,
                                                   PFREE_FUNCTION Free, ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth);
EXTERN_C VOID NTAPI ExDeletePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside);
EXTERN_C PVOID NTAPI ExAllocateFromPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside);
EXTERN_C VOID NTAPI ExFreeToPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry);
EXTERN_C NTSTATUS NTAPI ExInitializeLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PALLOCATE_FUNCTION_EX Allocate,
                                                    PFREE_FUNCTION_EX Free, POOL_TYPE PoolType, ULONG Flags, SIZE_T Size,
                                                    ULONG Tag, USHORT Depth);
EXTERN_C VOID NTAPI ExDeleteLookasideListEx(PLOOKASIDE_LIST_EX Lookaside);
EXTERN_C VOID NTAPI ExFlushLookasideListEx(PLOOKASIDE_LIST_EX Lookaside);
EXTERN_C PVOID NTAPI ExAllocateFromLookasideListEx(PLOOKASIDE_LIST_EX Lookaside);
EXTERN_C VOID NTAPI ExFreeToLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PVOID Entry);
