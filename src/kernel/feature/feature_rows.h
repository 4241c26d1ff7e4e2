// The features of this kernel, as data.
#pragma once

#include <span>

#include "kernel/feature/feature.h"

namespace tandem::kernel {

// In the order of their ids.
[[nodiscard]] std::span<const Feature> BuiltInFeatures();

}  // namespace tandem::kernel
