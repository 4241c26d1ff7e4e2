// DxgkDdiSetAllocationBackingStore: the kernel's address of an allocation's system pages, for a driver that asked for it.
#pragma once

#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

struct ResourceRequest;

// Does nothing unless `info`, the driver's answer, has ShareBackingStoreWithKmd. A driver that may not ask for it is stopped:
// STATUS_DEVICE_REMOVED. STATUS_INVALID_PARAMETER for a resource that is not shared, STATUS_NOT_SUPPORTED for user mode's pages,
// or the driver's status. PASSIVE_LEVEL.
[[nodiscard]] NTSTATUS ShareWithKmd(Adapter& adapter, const Allocation& allocation, const DXGK_ALLOCATIONINFO& info,
                                    const ResourceRequest& request);

}  // namespace tandem::kernel
