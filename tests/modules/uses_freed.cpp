// Built with AddressSanitizer: from the second time on DestroyAllocation reads a block that it freed.
#include <cstdint>
#include <memory>

#include "tests/modules/spoil.h"

namespace tandem::soft {
namespace {

PDXGKDDI_DESTROYALLOCATION destroy = nullptr;
int destroyed = 0;

int ReadFreed() {
  auto block = std::make_unique<int>(1);
  const volatile std::uintptr_t kept = reinterpret_cast<std::uintptr_t>(block.get());  // the compiler sees no pointer
  block.reset();
  return *reinterpret_cast<const volatile int*>(kept);
}

}  // namespace

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  destroy = table.DxgkDdiDestroyAllocation;
  table.DxgkDdiDestroyAllocation = [](HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* args) -> NTSTATUS {
    if (++destroyed == 2) static_cast<void>(ReadFreed());
    return destroy(adapter, args);
  };
}

}  // namespace tandem::soft
