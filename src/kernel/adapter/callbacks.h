// Functions that a driver can call: the table that StartDevice hands over.
#pragma once

#include "kernel/adapter/adapter_impl.h"

namespace tandem::kernel {

// DXGKCB_PRESENT_DISPLAYONLY_PROGRESS of every adapter.
VOID APIENTRY ReportPresentProgress(HANDLE device, DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS* progress);

// Callbacks whose service this machine has not (ACPI) answer STATUS_NOT_SUPPORTED, and those of an adapter without a
// bus; null are those that include/wddm does not type. Called at an IRQL that appendix B does not allow, a callback reports
// rules::kCallbackIrql and does nothing. `adapter` outlives every call.
void FillCallbacks(DXGKRNL_INTERFACE& callbacks, AdapterImpl& adapter, ULONG version);

// For callbacks without a handle. Every driver that got these callbacks is called through the gate of an AdapterImpl. Null
// outside a DDI.
[[nodiscard]] AdapterImpl* CurrentAdapter();

// False, and the rule is reported, when the caller's IRQL is above `highest`.
[[nodiscard]] bool CallbackAllowed(AdapterImpl& adapter, const char* callback, KIRQL highest);

}  // namespace tandem::kernel
