// The escapes that the kernel answers itself: timeout detection, for who tests it.
#pragma once

#include "kernel/thunk/adapter_instance.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// D3DKMT_ESCAPE_TDRDBGCTRL: FORCETDR and GPUTDR reset the adapter, ENGINETDR a node's engine, UNCONDITIONAL lifts the limit of
// resets. D3DKMT_ESCAPE_VIDSCH: TDRCONTROL and CONFIGURE_TDR_LIMIT. STATUS_NOT_SUPPORTED for what this kernel has not: a
// debugger, display-only drivers, and a forced reset while detection is off; STATUS_INVALID_PARAMETER. The caller is inside the
// adapter.
[[nodiscard]] NTSTATUS TdrEscape(AdapterInstance& unit, const D3DKMT_ESCAPE& escape);

}  // namespace tandem::kernel
