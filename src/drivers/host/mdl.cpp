// Memory descriptor lists and probes. A physical address is the virtual one.
#include <ntddk.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"

namespace tandem::drivers::host {
namespace {

// An MDL of the driver, or the page numbers of one of the kernel's (`mdl` is elsewhere then).
struct Entry {
  LIST_ENTRY link;
  PMDL described;
  PVOID start;     // StartVa when `pages` were written.
  ULONG count;     // of `pages`
  ULONG capacity;  // of `pages`
  MDL mdl;
  PFN_NUMBER pages[1];
};

constinit Mutex mutex;
LIST_ENTRY entries = {&entries, &entries};

// Precondition: the entry has room for the pages.
void Describe(Entry* entry, PVOID address, ULONG length) {
  entry->start = PAGE_ALIGN(address);
  entry->count = ADDRESS_AND_SIZE_TO_SPAN_PAGES(address, length);
  const auto first = static_cast<PFN_NUMBER>(reinterpret_cast<ULONG_PTR>(address) >> PAGE_SHIFT);
  for (ULONG i = 0; i < entry->count; ++i) entry->pages[i] = first + i;
}

Entry* CreateEntry(PVOID address, ULONG length) {
  const ULONG pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(address, length);
  auto* const entry = static_cast<Entry*>(std::calloc(1, sizeof(Entry) + pages * sizeof(PFN_NUMBER)));
  if (entry == nullptr) return nullptr;
  entry->capacity = pages;
  Describe(entry, address, length);
  return entry;
}

// The caller holds the mutex.
Entry* Find(PMDL mdl) {
  for (LIST_ENTRY* link = entries.Flink; link != &entries; link = link->Flink) {
    Entry* const entry = CONTAINING_RECORD(link, Entry, link);
    if (entry->described == mdl) return entry;
  }
  return nullptr;
}

}  // namespace

void EndMdls() {
  const Locked locked(mutex);
  int left = 0, pinned = 0;
  while (!IsListEmpty(&entries)) {
    Entry* const entry = CONTAINING_RECORD(RemoveHeadList(&entries), Entry, link);
    if (entry->described == &entry->mdl) {
      ++left;
      pinned += (entry->mdl.MdlFlags & MDL_PAGES_LOCKED) != 0 ? 1 : 0;
    }
    std::free(entry);
  }
  if (left > 0) {
    Report(Rule::kMdlLeak, "%d MDL%s not freed when the driver was unloaded; %d with locked pages.", left,
           left == 1 ? " was" : "s were", pinned);
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

PMDL NTAPI IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN /*SecondaryBuffer*/, BOOLEAN /*ChargeQuota*/, PIRP /*Irp*/) {
  CheckIrql("IoAllocateMdl", DISPATCH_LEVEL);
  if (ServiceFails("IoAllocateMdl")) return nullptr;
  Entry* const entry = CreateEntry(VirtualAddress, Length);
  if (entry == nullptr) return nullptr;
  entry->described = &entry->mdl;
  entry->mdl.Size = sizeof(MDL);
  entry->mdl.StartVa = PAGE_ALIGN(VirtualAddress);
  entry->mdl.ByteOffset = BYTE_OFFSET(VirtualAddress);
  entry->mdl.ByteCount = Length;
  entry->mdl.BackingFd = -1;
  const Locked locked(mutex);
  InsertTailList(&entries, &entry->link);
  return &entry->mdl;
}

VOID NTAPI IoFreeMdl(PMDL Mdl) {
  CheckIrql("IoFreeMdl", DISPATCH_LEVEL);
  Entry* entry = nullptr;
  {
    const Locked locked(mutex);
    entry = Find(Mdl);
    if (entry != nullptr && entry->described == &entry->mdl) RemoveEntryList(&entry->link);
  }
  if (entry == nullptr || entry->described != &entry->mdl) {
    Report(Rule::kMdlLeak, "IoFreeMdl: the MDL was freed before, or IoAllocateMdl did not allocate it.");
    return;
  }
  if ((Mdl->MdlFlags & MDL_PAGES_LOCKED) != 0) Report(Rule::kMdlMapped, "IoFreeMdl frees an MDL with locked pages.");
  std::free(entry);
}

VOID NTAPI MmBuildMdlForNonPagedPool(PMDL MemoryDescriptorList) {
  CheckIrql("MmBuildMdlForNonPagedPool", DISPATCH_LEVEL);
  MemoryDescriptorList->MdlFlags |= MDL_SOURCE_IS_NONPAGED_POOL;
  MemoryDescriptorList->MappedSystemVa = MmGetMdlVirtualAddress(MemoryDescriptorList);
}

VOID NTAPI IoBuildPartialMdl(PMDL SourceMdl, PMDL TargetMdl, PVOID VirtualAddress, ULONG Length) {
  CheckIrql("IoBuildPartialMdl", DISPATCH_LEVEL);
  const auto first = reinterpret_cast<ULONG_PTR>(VirtualAddress);
  const auto source = reinterpret_cast<ULONG_PTR>(MmGetMdlVirtualAddress(SourceMdl));
  const ULONG_PTR offset = first - source;
  if (first < source || offset > SourceMdl->ByteCount || Length > SourceMdl->ByteCount - offset) {
    Report(Rule::kBugCheck, "IoBuildPartialMdl: a range of %u bytes does not lie in the source's %u bytes.", Length,
           SourceMdl->ByteCount);
    return;
  }
  const ULONG bytes = Length != 0 ? Length : SourceMdl->ByteCount - static_cast<ULONG>(offset);
  const Locked locked(mutex);
  Entry* const entry = Find(TargetMdl);
  const ULONG pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(VirtualAddress, bytes);
  if (entry == nullptr || pages > entry->capacity) {
    Report(Rule::kBugCheck, "IoBuildPartialMdl: the target has room for %u pages; %u were due (TARGET_MDL_TOO_SMALL).",
           entry == nullptr ? 0u : entry->capacity, pages);
    return;
  }
  TargetMdl->MdlFlags = MDL_PARTIAL | MDL_MAPPED_TO_SYSTEM_VA;
  TargetMdl->StartVa = PAGE_ALIGN(VirtualAddress);
  TargetMdl->ByteOffset = BYTE_OFFSET(VirtualAddress);
  TargetMdl->ByteCount = bytes;
  TargetMdl->MappedSystemVa = VirtualAddress;
  TargetMdl->BackingFd = SourceMdl->BackingFd;
  TargetMdl->BackingIsDmaBuf = SourceMdl->BackingIsDmaBuf;
  const auto skipped =
      static_cast<std::uint64_t>(static_cast<UCHAR*>(TargetMdl->StartVa) - static_cast<UCHAR*>(SourceMdl->StartVa));
  TargetMdl->BackingOffset = SourceMdl->BackingOffset + skipped;
  Describe(entry, VirtualAddress, bytes);
}

BOOLEAN NTAPI MmIsAddressValid(PVOID VirtualAddress) {
  CheckIrql("MmIsAddressValid", DISPATCH_LEVEL);
  return msync(PAGE_ALIGN(VirtualAddress), PAGE_SIZE, MS_ASYNC) == 0 || errno != ENOMEM ? TRUE : FALSE;
}

VOID NTAPI MmProbeAndLockPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE /*AccessMode*/, LOCK_OPERATION /*Operation*/) {
  CheckIrql("MmProbeAndLockPages", DISPATCH_LEVEL);
  const PVOID first = MmGetMdlVirtualAddress(MemoryDescriptorList);
  const ULONG bytes = BYTE_OFFSET(first) + MemoryDescriptorList->ByteCount;
  if (msync(PAGE_ALIGN(first), ROUND_TO_PAGES(bytes), MS_ASYNC) != 0 && errno == ENOMEM) ExRaiseStatus(STATUS_ACCESS_VIOLATION);
  if ((MemoryDescriptorList->MdlFlags & MDL_PAGES_LOCKED) != 0) {
    Report(Rule::kMdlMapped, "MmProbeAndLockPages locks pages that are locked.");
  }
  MemoryDescriptorList->MdlFlags |= MDL_PAGES_LOCKED;
}

VOID NTAPI MmUnlockPages(PMDL MemoryDescriptorList) {
  CheckIrql("MmUnlockPages", DISPATCH_LEVEL);
  if ((MemoryDescriptorList->MdlFlags & MDL_PAGES_LOCKED) == 0) {
    Report(Rule::kMdlMapped, "MmUnlockPages unlocks pages that are not locked.");
  }
  MemoryDescriptorList->MdlFlags = static_cast<SHORT>(MemoryDescriptorList->MdlFlags & ~MDL_PAGES_LOCKED);
}

PVOID NTAPI MmMapLockedPagesSpecifyCache(PMDL MemoryDescriptorList, KPROCESSOR_MODE /*AccessMode*/,
                                         MEMORY_CACHING_TYPE /*CacheType*/, PVOID /*RequestedAddress*/,
                                         ULONG /*BugCheckOnFailure*/, ULONG /*Priority*/) {
  CheckIrql("MmMapLockedPagesSpecifyCache", DISPATCH_LEVEL);
  return MmGetMdlVirtualAddress(MemoryDescriptorList);
}

// The pages stay mapped for the process, so that nothing has to be taken back.
VOID NTAPI MmUnmapLockedPages(PVOID BaseAddress, PMDL MemoryDescriptorList) {
  CheckIrql("MmUnmapLockedPages", DISPATCH_LEVEL);
  if (PAGE_ALIGN(BaseAddress) != MemoryDescriptorList->StartVa) {
    Report(Rule::kMdlMapped, "MmUnmapLockedPages: the address is not that of the MDL's mapping.");
  }
}

PPFN_NUMBER NTAPI MmGetMdlPfnArray(PMDL Mdl) {
  const Locked locked(mutex);
  Entry* entry = Find(Mdl);
  const ULONG pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(MmGetMdlVirtualAddress(Mdl), Mdl->ByteCount);
  if (entry != nullptr && entry->start == Mdl->StartVa && entry->count == pages) return entry->pages;
  if (entry != nullptr) {  // Another MDL of the kernel's at the same address.
    RemoveEntryList(&entry->link);
    std::free(entry);
  }
  entry = CreateEntry(MmGetMdlVirtualAddress(Mdl), Mdl->ByteCount);
  if (entry == nullptr) std::abort();
  entry->described = Mdl;
  InsertTailList(&entries, &entry->link);
  return entry->pages;
}

PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID BaseAddress) {
  PHYSICAL_ADDRESS address{};
  address.QuadPart = reinterpret_cast<LONGLONG>(BaseAddress);
  return address;
}

VOID NTAPI ProbeForRead(CONST volatile VOID* Address, SIZE_T Length, ULONG Alignment) {
  CheckIrql("ProbeForRead", APC_LEVEL);
  const auto first = reinterpret_cast<ULONG_PTR>(Address);
  if (Length == 0) return;
  if ((first & (Alignment - 1)) != 0) ExRaiseStatus(STATUS_DATATYPE_MISALIGNMENT);
  if (first + Length < first || first + Length > MM_USER_PROBE_ADDRESS) ExRaiseStatus(STATUS_ACCESS_VIOLATION);
}

VOID NTAPI ProbeForWrite(volatile VOID* Address, SIZE_T Length, ULONG Alignment) { ProbeForRead(Address, Length, Alignment); }
