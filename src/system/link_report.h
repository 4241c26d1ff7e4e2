// The links of this machine's adapters to system memory, as each adapter measures its own when it is started.
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
  LinkMeasure out;   // of frames that it renders
  LinkMeasure in;    // of frames that it shows
  std::string none;  // a sentence: why there are no figures; empty: there are
};

struct LinkReport {
  std::vector<config::AdapterInfo> adapters;
  std::vector<AdapterLink> links;  // one for each
};

// Starts every Vulkan adapter for a moment: some tenths of a second each. No other System lives meanwhile. What an adapter fails
// with is in its place.
[[nodiscard]] Result<LinkReport> ReportLinks(Clock& clock);

}  // namespace tandem::system
