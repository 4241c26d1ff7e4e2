// DxgkDdiGetStandardAllocationDriverData: a driver's private data of surfaces that it describes without its user-mode half.
#pragma once

#include "kernel/adapter/adapter.h"
#include "kernel/kernel.h"
#include "kernel/memory/allocation.h"

namespace tandem::kernel {

// A cross-adapter surface of that size and format. `pitch` is the pitch that it must have when it exists already, or 0.
// STATUS_NOT_SUPPORTED when the driver has none, STATUS_DEVICE_REMOVED when it broke a rule, or its status. PASSIVE_LEVEL.
[[nodiscard]] NTSTATUS DescribeCrossAdapterSurface(Adapter& adapter, const SurfaceDescription& surface, UINT pitch,
                                                   StandardSurfaceData& out);
// See Kernel::DescribeStandardSurface. The status is the driver's.
[[nodiscard]] NTSTATUS DescribeStandardSurface(Adapter& adapter, const StandardSurfaceRequest& request, StandardSurfaceData& out);

}  // namespace tandem::kernel
