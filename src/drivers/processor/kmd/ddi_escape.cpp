// DxgkDdiEscape: the backing stores that are shared with user mode, the meters of allocations, and cables.
#include "drivers/common/escapes.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {

NTSTATUS ProcessorEscape(HANDLE adapter, CONST DXGKARG_ESCAPE* escape) {
  const auto find = [&](D3DKMT_HANDLE handle) {
    return drivers::AllocationOf<const Allocation>(static_cast<Device*>(adapter)->kernel(), handle);
  };
  const auto meter = [&](PassMeterEscape& request) { return drivers::FindMeter(request, find(request.allocation)); };
  const auto touch = [&](drivers::BackingStoreEscape& request) -> NTSTATUS {
    const Allocation* const allocation = find(request.allocation);
    if (allocation == nullptr) return STATUS_INVALID_HANDLE;
    return drivers::TouchBackingStore(request, allocation->backing_store, allocation->data.size);
  };
  const auto plug = [&](drivers::CableEscape& request) -> NTSTATUS {
    auto& device = *static_cast<Device*>(adapter);
    if (request.target >= device.source_count()) return STATUS_INVALID_PARAMETER;
    return device.display().SetPlugged(request.target, request.plugged != 0);
  };
  NTSTATUS status = STATUS_NOT_SUPPORTED;
  static_cast<void>(drivers::AnswerEscape<PassMeterEscape>(*escape, status, meter) ||
                    drivers::AnswerEscape<drivers::BackingStoreEscape>(*escape, status, touch) ||
                    drivers::AnswerEscape<drivers::CableEscape>(*escape, status, plug));
  return status;
}

}  // namespace tandem::processor
