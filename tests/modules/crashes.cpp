#include <cstdio>
#include <cstdlib>

#include "tests/modules/spoil.h"

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiPresent = [](HANDLE, DXGKARG_PRESENT*) -> NTSTATUS {
    std::fputs("The last words of the driver.\n", stdout);
    std::abort();
  };
}

}  // namespace tandem::soft
