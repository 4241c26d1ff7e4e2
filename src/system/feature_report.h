// What `tandem features` shows: overrides of an adapter, and what its driver and the kernel agreed on.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"
#include "kernel/kernel.h"

namespace tandem::system {

struct FeatureReport {
  config::AdapterInfo adapter;
  std::vector<kernel::FeatureOverride> overrides;
  std::vector<kernel::FeatureState> states;  // in the order of Kernel::Features()
};

// Whether adapters are started, one after the other, to see what they negotiate; without it `states` is empty.
enum class FeatureDepth { kOverrides, kStates };

// Of the adapter that `selector` means; of every adapter when it is empty. Errors: FindAdapter's, those of the feature file, and
// of an adapter that does not start.
[[nodiscard]] Result<std::vector<FeatureReport>> ReportFeatures(std::string_view selector, FeatureDepth depth);

// Changes the entry of `feature` for the adapter that `selector` means (every adapter when it is empty) in the feature file,
// after checking that the whole file can apply then. Empty values take the entry out. Returns the file's path.
[[nodiscard]] Result<std::string> ChangeFeature(std::string_view selector, const kernel::Feature& feature,
                                                const std::vector<std::pair<std::string, std::string>>& values);
// Takes `keys` out of the entry, or all of it when there are none. kNotFound when there is no such entry.
[[nodiscard]] Result<std::string> ResetFeature(std::string_view selector, const kernel::Feature& feature,
                                               const std::vector<std::string>& keys);

}  // namespace tandem::system
