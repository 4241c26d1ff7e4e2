// The kernel's half of features for tests that load drivers without a kernel.
#pragma once

#include "kernel/feature/feature_rows.h"
#include "kernel/feature/kernel_features.h"

namespace tandem::kernel {

[[nodiscard]] inline FeatureRegistry BuiltInRegistry() { return *FeatureRegistry::Create(BuiltInFeatures()); }

}  // namespace tandem::kernel
