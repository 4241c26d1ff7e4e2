// Standard allocations: resources over memory that user mode has already.
#pragma once

#include "kernel/memory/memory_manager.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {

// `existing` is pSystemMem or hSection of the only allocation. The kernel describes the memory to the driver as a row of bytes
// (GDI surface: Width = bytes, Height 1, no format, TEXTURE_CROSSADAPTER). STATUS_INVALID_PARAMETER for flags or memory that
// break the rules of D3DKMT_CREATEALLOCATIONFLAGS and for other types, STATUS_NOT_SUPPORTED for a driver without such surfaces.
[[nodiscard]] NTSTATUS ReadStandardAllocation(AdapterInstance& unit, const D3DKMT_CREATEALLOCATION& data, const void* existing,
                                              ResourceRequest& request);

}  // namespace tandem::kernel
