// Mapped I/O space. A physical address is the virtual one.
#include <ntddk.h>

#include <cstdlib>

#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"

namespace tandem::drivers::host {
namespace {

struct Mapping {
  LIST_ENTRY link;
  PVOID address;
  SIZE_T size;
};

constinit Mutex mutex;
LIST_ENTRY mappings = {&mappings, &mappings};

}  // namespace

void EndIoSpace() {
  const Locked locked(mutex);
  int mapped = 0;
  for (; !IsListEmpty(&mappings); ++mapped) std::free(CONTAINING_RECORD(RemoveHeadList(&mappings), Mapping, link));
  if (mapped > 0) {
    Report(Rule::kIoSpaceMapped, "%d mapping%s of I/O space left when the driver was unloaded.", mapped,
           mapped == 1 ? " was" : "s were");
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

PVOID NTAPI MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, MEMORY_CACHING_TYPE /*CacheType*/) {
  return MmMapIoSpaceEx(PhysicalAddress, NumberOfBytes, PAGE_READWRITE);
}

PVOID NTAPI MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes, ULONG /*Protect*/) {
  CheckIrql("MmMapIoSpace", DISPATCH_LEVEL);
  if (ServiceFails("MmMapIoSpace")) return nullptr;
  auto* const mapping = static_cast<Mapping*>(std::malloc(sizeof(Mapping)));
  if (mapping == nullptr || PhysicalAddress.QuadPart == 0) {
    std::free(mapping);
    return nullptr;
  }
  mapping->address = reinterpret_cast<PVOID>(PhysicalAddress.QuadPart);
  mapping->size = NumberOfBytes;
  const Locked locked(mutex);
  InsertTailList(&mappings, &mapping->link);
  return mapping->address;
}

VOID NTAPI MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes) {
  CheckIrql("MmUnmapIoSpace", DISPATCH_LEVEL);
  {
    const Locked locked(mutex);
    for (LIST_ENTRY* link = mappings.Flink; link != &mappings; link = link->Flink) {
      Mapping* const mapping = CONTAINING_RECORD(link, Mapping, link);
      if (mapping->address != BaseAddress || mapping->size != NumberOfBytes) continue;
      RemoveEntryList(link);
      std::free(mapping);
      return;
    }
  }
  Report(Rule::kIoSpaceMapped, "MmUnmapIoSpace: there is no mapping of %zu bytes at that address.",
         static_cast<std::size_t>(NumberOfBytes));
}
