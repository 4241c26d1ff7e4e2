// MDLs with pages of their own. See wdm/page_mdl.h.
#include <ntddk.h>

#include "drivers/host/kernel.h"
#include "drivers/host/pool.h"

using namespace tandem::drivers::host;

namespace {

constexpr ULONG kMdlTag = 0x6c646d4d;    // 'Mmdl'
constexpr ULONG kPagesTag = 0x67706d4d;  // 'Mmpg'
constexpr ULONG kNonCachedTag = 0x636e6d4d;

PMDL Create(const char* function, SIZE_T bytes, std::uint64_t highest, bool zeroed) {
  if (bytes == 0 || bytes > MAXULONG - PAGE_SIZE || ServiceFails(function)) return nullptr;
  const auto size = static_cast<ULONG>(ROUND_TO_PAGES(bytes));
  void* const pages = Allocate(PoolKind::kContiguous, size, kPagesTag, zeroed, highest);
  if (pages == nullptr) return nullptr;
  auto* const mdl = static_cast<PMDL>(Allocate(PoolKind::kPool, sizeof(MDL), kMdlTag, true));
  if (mdl == nullptr) {
    Free(PoolKind::kContiguous, pages, kPagesTag);
    return nullptr;
  }
  mdl->Size = sizeof(MDL);
  mdl->MdlFlags = MDL_PAGES_LOCKED;
  mdl->StartVa = pages;
  mdl->ByteCount = size;
  mdl->BackingFd = -1;
  return mdl;
}

}  // namespace

// A physical address is the virtual one, so LowAddress is one that all pages are above.
PMDL NTAPI MmAllocatePagesForMdl(PHYSICAL_ADDRESS /*LowAddress*/, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS /*SkipBytes*/,
                                 SIZE_T TotalBytes) {
  CheckIrql("MmAllocatePagesForMdl", APC_LEVEL);
  return Create("MmAllocatePagesForMdl", TotalBytes, static_cast<std::uint64_t>(HighAddress.QuadPart), true);
}

PMDL NTAPI MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS /*LowAddress*/, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS /*SkipBytes*/,
                                   SIZE_T TotalBytes, MEMORY_CACHING_TYPE /*CacheType*/, ULONG Flags) {
  CheckIrql("MmAllocatePagesForMdlEx", DISPATCH_LEVEL);
  return Create("MmAllocatePagesForMdlEx", TotalBytes, static_cast<std::uint64_t>(HighAddress.QuadPart),
                (Flags & MM_DONT_ZERO_ALLOCATION) == 0);
}

VOID NTAPI MmFreePagesFromMdl(PMDL MemoryDescriptorList) {
  CheckIrql("MmFreePagesFromMdl", APC_LEVEL);
  Free(PoolKind::kContiguous, MemoryDescriptorList->StartVa, kPagesTag);
  MemoryDescriptorList->StartVa = nullptr;
  MemoryDescriptorList->MdlFlags = static_cast<SHORT>(MemoryDescriptorList->MdlFlags & ~MDL_PAGES_LOCKED);
}

PVOID NTAPI MmMapLockedPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode) {
  return MmMapLockedPagesSpecifyCache(MemoryDescriptorList, AccessMode, MmCached, nullptr, TRUE, HighPagePriority);
}

PVOID NTAPI MmAllocateNonCachedMemory(SIZE_T NumberOfBytes) {
  CheckIrql("MmAllocateNonCachedMemory", APC_LEVEL);
  if (ServiceFails("MmAllocateNonCachedMemory")) return nullptr;
  return Allocate(PoolKind::kContiguous, NumberOfBytes, kNonCachedTag, false);
}

VOID NTAPI MmFreeNonCachedMemory(PVOID BaseAddress, SIZE_T /*NumberOfBytes*/) {
  CheckIrql("MmFreeNonCachedMemory", APC_LEVEL);
  Free(PoolKind::kContiguous, BaseAddress, kNonCachedTag);
}
