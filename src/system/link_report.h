// Links between this machine's adapters and system memory, as each adapter measures its own at its start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/link_measure.h"
#include "base/result.h"
#include "config/adapter_info.h"

namespace tandem::system {

struct AdapterLink {
  LinkMeasure out;   // direction of the frames that the adapter renders
  LinkMeasure in;    // direction of the frames that the adapter shows
  std::string none;  // a sentence: the reason why there are no figures; empty if there are
};

struct LinkReport {
  std::vector<config::AdapterInfo> adapters;
  std::vector<AdapterLink> links;  // one for each adapter
};

// Starts every Vulkan adapter for some tenths of a second each. No other System may exist meanwhile. An adapter's failure
// appears in its `none`.
[[nodiscard]] Result<LinkReport> ReportLinks(Clock& clock);

}  // namespace tandem::system
