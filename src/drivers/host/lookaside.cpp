// Interlocked singly linked lists and lookaside lists. See wdm/lookaside.h.
#include <ntddk.h>

#include "drivers/host/kernel.h"
#include "drivers/host/tsan_order.h"

using namespace tandem::drivers::host;

namespace {

constexpr USHORT kDepth = 4;  // Most blocks that a new list keeps on Windows.
constexpr USHORT kMaximumDepth = 256;

// A few instructions run under the lock, at any IRQL.
class Held {
 public:
  explicit Held(PSLIST_HEADER head) : head_(head) {
    while (__atomic_exchange_n(&head_->Host.Lock, 1, __ATOMIC_ACQUIRE) != 0) {
    }
    TellAfter(head_);
  }
  ~Held() {
    TellBefore(head_);
    __atomic_store_n(&head_->Host.Lock, 0, __ATOMIC_RELEASE);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  PSLIST_HEADER head_;
};

KIRQL LimitOf(const GENERAL_LOOKASIDE& list) { return (list.Type & PagedPool) != 0 ? APC_LEVEL : DISPATCH_LEVEL; }

void Initialize(GENERAL_LOOKASIDE& list, POOL_TYPE type, ULONG flags, SIZE_T size, ULONG tag) {
  list = GENERAL_LOOKASIDE{};
  InitializeSListHead(&list.ListHead);
  list.Depth = kDepth;
  list.MaximumDepth = kMaximumDepth;
  list.Type = static_cast<POOL_TYPE>(type | static_cast<POOL_TYPE>(flags & NonPagedPoolNx));
  list.Tag = tag;
  list.Size = static_cast<ULONG>(size < sizeof(SLIST_ENTRY) ? sizeof(SLIST_ENTRY) : size);
}

PVOID TakeKept(GENERAL_LOOKASIDE& list, const char* function) {
  CheckIrql(function, LimitOf(list));
  ++list.TotalAllocates;
  PVOID const block = ExpInterlockedPopEntrySList(&list.ListHead);
  if (block == nullptr) ++list.AllocateMisses;
  return block;
}

// False: the list has enough.
bool Keep(GENERAL_LOOKASIDE& list, PVOID block, const char* function) {
  CheckIrql(function, LimitOf(list));
  ++list.TotalFrees;
  if (ExQueryDepthSList(&list.ListHead) >= list.Depth) return ++list.FreeMisses, false;
  ExpInterlockedPushEntrySList(&list.ListHead, static_cast<PSLIST_ENTRY>(block));
  return true;
}

template <class List>
void InitializeOld(List& list, PALLOCATE_FUNCTION allocate, PFREE_FUNCTION free, POOL_TYPE type, ULONG flags, SIZE_T size,
                   ULONG tag) {
  Initialize(list.L, type, flags, size, tag);
  list.L.Allocate = allocate != nullptr ? allocate : ExAllocatePoolWithTag;
  list.L.Free = free != nullptr ? free : ExFreePool;
}

PVOID AllocateOld(GENERAL_LOOKASIDE& list, const char* function) {
  PVOID const kept = TakeKept(list, function);
  return kept != nullptr ? kept : list.Allocate(list.Type, list.Size, list.Tag);
}

void FreeOld(GENERAL_LOOKASIDE& list, PVOID block, const char* function) {
  if (!Keep(list, block, function)) list.Free(block);
}

void DeleteOld(GENERAL_LOOKASIDE& list, const char* function) {
  CheckIrql(function, LimitOf(list));
  while (PSLIST_ENTRY const block = ExpInterlockedPopEntrySList(&list.ListHead)) list.Free(block);
}

PVOID AllocateFromPool(POOL_TYPE type, SIZE_T size, ULONG tag, PLOOKASIDE_LIST_EX /*list*/) {
  return ExAllocatePoolWithTag(type, size, tag);
}

PVOID AllocateOrRaise(POOL_TYPE type, SIZE_T size, ULONG tag, PLOOKASIDE_LIST_EX /*list*/) {
  PVOID const block = ExAllocatePoolWithTag(type, size, tag);
  if (block == nullptr) ExRaiseStatus(STATUS_INSUFFICIENT_RESOURCES);
  return block;
}

void FreeToPool(PVOID block, PLOOKASIDE_LIST_EX /*list*/) { ExFreePool(block); }

}  // namespace

VOID NTAPI InitializeSListHead(PSLIST_HEADER SListHead) { *SListHead = SLIST_HEADER{}; }

PSLIST_ENTRY NTAPI ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry) {
  const Held held(ListHead);
  PSLIST_ENTRY const first = ListHead->Host.First;
  ListEntry->Next = first;
  ListHead->Host.First = ListEntry;
  ++ListHead->Host.Depth;
  return first;
}

PSLIST_ENTRY NTAPI ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead) {
  const Held held(ListHead);
  PSLIST_ENTRY const first = ListHead->Host.First;
  if (first == nullptr) return nullptr;
  ListHead->Host.First = first->Next;
  --ListHead->Host.Depth;
  return first;
}

PSLIST_ENTRY NTAPI ExpInterlockedFlushSList(PSLIST_HEADER ListHead) {
  const Held held(ListHead);
  PSLIST_ENTRY const first = ListHead->Host.First;
  ListHead->Host.First = nullptr;
  ListHead->Host.Depth = 0;
  return first;
}

USHORT NTAPI ExQueryDepthSList(PSLIST_HEADER SListHead) { return __atomic_load_n(&SListHead->Host.Depth, __ATOMIC_RELAXED); }

VOID NTAPI ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                           ULONG Flags, SIZE_T Size, ULONG Tag, USHORT /*Depth*/) {
  CheckIrql("ExInitializeNPagedLookasideList", DISPATCH_LEVEL);
  InitializeOld(*Lookaside, Allocate, Free, NonPagedPool, Flags, Size, Tag);
}

VOID NTAPI ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
  DeleteOld(Lookaside->L, "ExDeleteNPagedLookasideList");
}

PVOID NTAPI ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside) {
  return AllocateOld(Lookaside->L, "ExAllocateFromNPagedLookasideList");
}

VOID NTAPI ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry) {
  FreeOld(Lookaside->L, Entry, "ExFreeToNPagedLookasideList");
}

VOID NTAPI ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                          ULONG Flags, SIZE_T Size, ULONG Tag, USHORT /*Depth*/) {
  CheckIrql("ExInitializePagedLookasideList", APC_LEVEL);
  InitializeOld(*Lookaside, Allocate, Free, PagedPool, Flags, Size, Tag);
}

VOID NTAPI ExDeletePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside) { DeleteOld(Lookaside->L, "ExDeletePagedLookasideList"); }

PVOID NTAPI ExAllocateFromPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside) {
  return AllocateOld(Lookaside->L, "ExAllocateFromPagedLookasideList");
}

VOID NTAPI ExFreeToPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry) {
  FreeOld(Lookaside->L, Entry, "ExFreeToPagedLookasideList");
}

NTSTATUS NTAPI ExInitializeLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PALLOCATE_FUNCTION_EX Allocate, PFREE_FUNCTION_EX Free,
                                           POOL_TYPE PoolType, ULONG Flags, SIZE_T Size, ULONG Tag, USHORT /*Depth*/) {
  constexpr ULONG kFlags = EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL | EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE;
  CheckIrql("ExInitializeLookasideListEx", DISPATCH_LEVEL);
  if ((Flags & ~kFlags) != 0) return STATUS_INVALID_PARAMETER_5;
  if (Flags == kFlags) return STATUS_INVALID_PARAMETER_MIX;
  Initialize(Lookaside->L, PoolType, 0, Size, Tag);
  const bool raises = (Flags & EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL) != 0;
  Lookaside->L.AllocateEx = Allocate != nullptr ? Allocate : raises ? AllocateOrRaise : AllocateFromPool;
  Lookaside->L.FreeEx = Free != nullptr ? Free : FreeToPool;
  return STATUS_SUCCESS;
}

VOID NTAPI ExFlushLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
  CheckIrql("ExFlushLookasideListEx", LimitOf(Lookaside->L));
  while (PSLIST_ENTRY const block = ExpInterlockedPopEntrySList(&Lookaside->L.ListHead)) Lookaside->L.FreeEx(block, Lookaside);
}

VOID NTAPI ExDeleteLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) { ExFlushLookasideListEx(Lookaside); }

PVOID NTAPI ExAllocateFromLookasideListEx(PLOOKASIDE_LIST_EX Lookaside) {
  PVOID const kept = TakeKept(Lookaside->L, "ExAllocateFromLookasideListEx");
  if (kept != nullptr) return kept;
  return Lookaside->L.AllocateEx(Lookaside->L.Type, Lookaside->L.Size, Lookaside->L.Tag, Lookaside);
}

VOID NTAPI ExFreeToLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PVOID Entry) {
  if (!Keep(Lookaside->L, Entry, "ExFreeToLookasideListEx")) Lookaside->L.FreeEx(Entry, Lookaside);
}
