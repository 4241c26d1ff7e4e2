// D3DKMTQueryAdapterInfo: names of adapters.
#pragma once

#include "kernel/thunk/adapter_instance.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// Answers KMTQAITYPE_ADAPTERREGISTRYINFO, KMTQAITYPE_DRIVER_DESCRIPTION and their forms for render adapters. The public headers
// have the compiler's wchar_t for WCHAR, so a Linux program's structure is twice as long as the contract's; its size tells them
// apart.
[[nodiscard]] NTSTATUS QueryAdapterNames(const AdapterInstance& unit, const D3DKMT_QUERYADAPTERINFO& query);

}  // namespace tandem::kernel
