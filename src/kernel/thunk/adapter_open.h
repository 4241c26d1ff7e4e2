// Handles of adapters.
#pragma once

#include <memory>
#include <vector>

#include "kernel/thunk/system.h"

namespace tandem::kernel {

enum class AdapterList : std::uint8_t { kAll, kNoComputeOnly };

// Adapters that programs see, in the order in which they were added.
[[nodiscard]] std::vector<std::shared_ptr<AdapterInstance>> ListedUnits(System& system, AdapterList list);

// 0 when no handle is free.
[[nodiscard]] D3DKMT_HANDLE OpenUnit(System& system, const std::shared_ptr<AdapterInstance>& unit);

}  // namespace tandem::kernel
