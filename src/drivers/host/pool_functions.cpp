// The NT kernel's functions for pool and contiguous memory.
#include <ntddk.h>

#include "drivers/host/kernel.h"
#include "drivers/host/pool.h"

using namespace tandem::drivers::host;

namespace {

constexpr ULONG kNoTag = 0x656e6f4e;          // 'None', as Windows shows it.
constexpr ULONG kContiguousTag = 0x6c6d4d43;  // 'CMml'.

bool IsPaged(POOL_TYPE type) { return (type & PagedPool) != 0; }

PVOID AllocateChecked(const char* function, bool paged, SIZE_T size, ULONG tag, bool zeroed) {
  CheckIrql(function, paged ? APC_LEVEL : DISPATCH_LEVEL);
  return ServiceFails(function) ? nullptr : Allocate(PoolKind::kPool, size, tag, zeroed);
}

}  // namespace

PVOID NTAPI ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes) {
  return AllocateChecked("ExAllocatePool", IsPaged(PoolType), NumberOfBytes, kNoTag, false);
}

PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  return AllocateChecked("ExAllocatePoolWithTag", IsPaged(PoolType), NumberOfBytes, Tag, false);
}

PVOID NTAPI ExAllocatePoolZero(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  return AllocateChecked("ExAllocatePoolZero", IsPaged(PoolType), NumberOfBytes, Tag, true);
}

PVOID NTAPI ExAllocatePoolUninitialized(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag) {
  return AllocateChecked("ExAllocatePoolUninitialized", IsPaged(PoolType), NumberOfBytes, Tag, false);
}

// One kind of pool and a tag are required; a size of zero is not.
PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag) {
  constexpr POOL_FLAGS kKinds = POOL_FLAG_NON_PAGED | POOL_FLAG_NON_PAGED_EXECUTE | POOL_FLAG_PAGED;
  const POOL_FLAGS kind = Flags & kKinds;
  PVOID memory = nullptr;
  if (Tag != 0 && NumberOfBytes != 0 && kind != 0 && (kind & (kind - 1)) == 0) {
    const bool zeroed = (Flags & POOL_FLAG_UNINITIALIZED) == 0;
    memory = AllocateChecked("ExAllocatePool2", kind == POOL_FLAG_PAGED, NumberOfBytes, Tag, zeroed);
  }
  if (memory == nullptr && (Flags & POOL_FLAG_RAISE_ON_FAILURE) != 0) ExRaiseStatus(STATUS_INSUFFICIENT_RESOURCES);
  return memory;
}

VOID NTAPI ExFreePool(PVOID P) {
  CheckIrql("ExFreePool", DISPATCH_LEVEL);
  Free(PoolKind::kPool, P, 0);
}

VOID NTAPI ExFreePoolWithTag(PVOID P, ULONG Tag) {
  CheckIrql("ExFreePoolWithTag", DISPATCH_LEVEL);
  Free(PoolKind::kPool, P, Tag);
}

PVOID NTAPI MmAllocateContiguousMemory(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS HighestAcceptableAddress) {
  CheckIrql("MmAllocateContiguousMemory", DISPATCH_LEVEL);
  if (ServiceFails("MmAllocateContiguousMemory")) return nullptr;
  return Allocate(PoolKind::kContiguous, NumberOfBytes, kContiguousTag, false,
                  static_cast<std::uint64_t>(HighestAcceptableAddress.QuadPart));
}

PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes, PHYSICAL_ADDRESS /*LowestAcceptableAddress*/,
                                                   PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                   PHYSICAL_ADDRESS /*BoundaryAddressMultiple*/,
                                                   MEMORY_CACHING_TYPE /*CacheType*/) {
  CheckIrql("MmAllocateContiguousMemorySpecifyCache", DISPATCH_LEVEL);
  if (ServiceFails("MmAllocateContiguousMemorySpecifyCache")) return nullptr;
  return Allocate(PoolKind::kContiguous, NumberOfBytes, kContiguousTag, false,
                  static_cast<std::uint64_t>(HighestAcceptableAddress.QuadPart));
}

VOID NTAPI MmFreeContiguousMemory(PVOID BaseAddress) {
  CheckIrql("MmFreeContiguousMemory", DISPATCH_LEVEL);
  Free(PoolKind::kContiguous, BaseAddress, 0);
}

VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T /*NumberOfBytes*/, MEMORY_CACHING_TYPE /*CacheType*/) {
  MmFreeContiguousMemory(BaseAddress);
}
