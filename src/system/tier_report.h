// The cross-adapter tiers of this machine's adapters, as the kernel tells them once an adapter was started.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/adapter_info.h"

namespace tandem::system {

// Starts every adapter for a moment, some tenths of a second each, and puts the kernel's answer in the place of what was known
// before. No System lives meanwhile. An adapter that does not start has tier 0, and the reason says why.
[[nodiscard]] Result<void> AskTiers(std::vector<config::AdapterInfo>& adapters, Clock& clock);

}  // namespace tandem::system
