// A call of a DDI that is not made any more once the adapter is gone.
#pragma once

#include "kernel/adapter/adapter.h"

namespace tandem::kernel {

// STATUS_DEVICE_REMOVED when the adapter is not alive, STATUS_NOT_SUPPORTED when the driver has no such DDI, else the driver's
// answer.
template <class Function, class... Args>
[[nodiscard]] NTSTATUS CallDdi(Adapter& adapter, Ddi ddi, Function function, Args... args) {
  if (!adapter.alive()) return STATUS_DEVICE_REMOVED;
  if (function == nullptr) return STATUS_NOT_SUPPORTED;
  return adapter.gate().Call(ddi, function, args...);
}

// A call within a pass of the adapter's gate, otherwise the same.
template <class Function, class... Args>
[[nodiscard]] NTSTATUS CallDdi(Adapter& adapter, DdiGate::Pass& pass, Ddi ddi, Function function, Args... args) {
  if (!adapter.alive()) return STATUS_DEVICE_REMOVED;
  if (function == nullptr) return STATUS_NOT_SUPPORTED;
  return pass.Call(ddi, function, args...);
}

}  // namespace tandem::kernel
