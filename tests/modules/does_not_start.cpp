#include <cstdio>

#include "tests/modules/spoil.h"

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiStartDevice = [](CONST PVOID, PDXGK_START_INFO, PDXGKRNL_INTERFACE, PULONG, PULONG) -> NTSTATUS {
    std::fputs("There is no such device on this bus.\n", stderr);
    return STATUS_NO_SUCH_DEVICE;
  };
}

}  // namespace tandem::soft
