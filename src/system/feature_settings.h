// Converts the user's feature overrides for the kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"
#include "config/feature_file.h"
#include "kernel/kernel.h"

namespace tandem::system {

// Finds a feature by name or id, the id as a number or as "OS:n". The message of kNotFound names the list.
[[nodiscard]] Result<const kernel::Feature*> FindFeature(std::string_view text);

// The feature's id as FindFeature() accepts it: "OS:n" in the operating-system category, otherwise a number.
[[nodiscard]] std::string FeatureIdText(const kernel::Feature& feature);

// All overrides in `entries` for `adapter`, which is one of `adapters`. An adapter's own entry precedes an entry for all.
// Errors name the entry: an unknown feature, a selector for no adapter or several, two selectors for one adapter, an
// inapplicable override.
[[nodiscard]] Result<std::vector<kernel::FeatureOverride>> OverridesFor(const config::AdapterInfo& adapter,
                                                                        std::span<const config::AdapterInfo> adapters,
                                                                        const std::vector<config::FeatureEntry>& entries);

// Converts one entry; OverridesFor() uses it for its check.
[[nodiscard]] Result<kernel::FeatureOverride> ToOverride(const config::FeatureEntry& entry);

}  // namespace tandem::system
