// The kernel's half of a feature after an override.
#pragma once

#include <vector>

#include "base/result.h"
#include "kernel/feature/feature_registry.h"

namespace tandem::kernel {

// The kernel's half of a feature, after overrides.
struct KernelSupport {
  bool supported = false;
  VersionRange versions;
  bool allow_experimental = false;
};

// kInvalidArgument when the override cannot apply: it sets nothing, widens the versions, gives one end of them, turns on what has
// no version here, or allows experiments where no driver is asked.
[[nodiscard]] Result<KernelSupport> ApplyOverride(const Feature& feature, const FeatureOverride& change);

// The support of every feature of the registry, by index. The first override that cannot apply fails all, as does one for an
// unknown feature and a second one for the same.
[[nodiscard]] Result<std::vector<KernelSupport>> ApplyOverrides(const FeatureRegistry& registry,
                                                                const std::vector<FeatureOverride>& changes);

}  // namespace tandem::kernel
