// Lists of allocation handles, as residency thunks take them.
#pragma once

#include <list>
#include <vector>

#include "kernel/submit/pager.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {

// One request, made before anything is counted for it: handing it over cannot fail.
using RequestNode = std::list<ResidencyRequest>;

// The allocations of a list, each counted as used until EndUses, also when it fails: they stay although their handles are not
// held. STATUS_INVALID_PARAMETER for an empty list or one of more than kMaxAllocationsPerCall, STATUS_INVALID_PARAMETER,
// STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE.
[[nodiscard]] NTSTATUS CollectAllocations(System& system, const DeviceObject& device, UINT count, const D3DKMT_HANDLE* list,
                                          std::vector<Allocation*>& allocations);
void EndUses(AdapterInstance& unit, const std::vector<Allocation*>& allocations) noexcept;

// Ends the uses when all of them are resident. STATUS_PENDING: when the queue's fence reaches `fence_value`.
[[nodiscard]] NTSTATUS BringIn(AdapterInstance& unit, PagingQueueObject& queue, RequestNode request,
                               UINT64& fence_value) noexcept;

}  // namespace tandem::kernel
