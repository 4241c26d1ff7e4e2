// The user's feature overrides, as the kernel takes them.
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

// By its name, or its id as a number or as "OS:n". kNotFound says where the list is.
[[nodiscard]] Result<const kernel::Feature*> FindFeature(std::string_view text);

// What FindFeature() takes for the ids of the operating-system category, the plain number for others.
[[nodiscard]] std::string FeatureIdText(const kernel::Feature& feature);

// Everything in `entries` that is for `adapter`, which is one of `adapters`; an entry for the adapter goes before one for all.
// Errors say the entry: a feature that is not known, a selector that fits no adapter or several, two selectors that mean the same
// adapter, an override that cannot apply.
[[nodiscard]] Result<std::vector<kernel::FeatureOverride>> OverridesFor(const config::AdapterInfo& adapter,
                                                                        std::span<const config::AdapterInfo> adapters,
                                                                        const std::vector<config::FeatureEntry>& entries);

// One entry, as OverridesFor() checks it.
[[nodiscard]] Result<kernel::FeatureOverride> ToOverride(const config::FeatureEntry& entry);

}  // namespace tandem::system
