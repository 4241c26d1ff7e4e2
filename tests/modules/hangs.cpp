#include <unistd.h>

#include "tests/modules/spoil.h"

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiPresent = [](HANDLE, DXGKARG_PRESENT*) -> NTSTATUS {
    for (;;) pause();
  };
}

}  // namespace tandem::soft
