// Makes no surface visible to the processor, although cross-adapter surfaces must be.
#include "tests/modules/spoil.h"

namespace tandem::soft {
namespace {

decltype(DRIVER_INITIALIZATION_DATA::DxgkDdiCreateAllocation) create_allocation;

}  // namespace

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  create_allocation = table.DxgkDdiCreateAllocation;
  table.DxgkDdiCreateAllocation = [](HANDLE adapter, DXGKARG_CREATEALLOCATION* args) -> NTSTATUS {
    const NTSTATUS status = create_allocation(adapter, args);
    for (UINT i = 0; i < args->NumAllocations; ++i) args->pAllocationInfo[i].Flags.CpuVisible = 0;
    return status;
  };
}

}  // namespace tandem::soft
