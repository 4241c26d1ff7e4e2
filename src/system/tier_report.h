// Cross-adapter tiers of this machine's adapters, as the kernel reports them after each adapter's start.
#pragma once

#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/adapter_info.h"
#include "system/graphics.h"

namespace tandem::system {

// Called for each adapter, with what its probes found; one that does not start can do nothing, and says why.
using ProbeListener = std::function<void(const config::AdapterInfo&, const ImportAbilities&)>;

// Starts every adapter for some tenths of a second each, and replaces its tier and reason by the kernel's answer. No System may
// exist meanwhile. An adapter that does not start has tier 0 and the reason. `listener` may be empty.
[[nodiscard]] Result<void> AskTiers(std::vector<config::AdapterInfo>& adapters, Clock& clock, const ProbeListener& listener = {});

}  // namespace tandem::system
