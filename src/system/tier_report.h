// Cross-adapter tiers of this machine's adapters, as the kernel reports them after each adapter's start.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/adapter_info.h"

namespace tandem::system {

// Starts every adapter for some tenths of a second each, and replaces its tier and reason by the kernel's answer. No System may
// exist meanwhile. An adapter that does not start has tier 0 and the reason.
[[nodiscard]] Result<void> AskTiers(std::vector<config::AdapterInfo>& adapters, Clock& clock);

}  // namespace tandem::system
