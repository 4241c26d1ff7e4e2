// What a driver can call: the table that StartDevice hands over.
#pragma once

#include "kernel/adapter/adapter_impl.h"

namespace tandem::kernel {

// Every callback that include/wddm types is there; those whose service this kernel has not answer STATUS_NOT_SUPPORTED. Called at
// an IRQL that appendix B does not allow, a callback reports rules::kCallbackIrql and does nothing. `adapter` outlives every
// call.
void FillCallbacks(DXGKRNL_INTERFACE& callbacks, AdapterImpl& adapter, ULONG version);

}  // namespace tandem::kernel
