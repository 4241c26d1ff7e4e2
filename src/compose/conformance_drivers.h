// The drivers of this house as the conformance rules meet them.
#pragma once

#include <vector>

#include "conform/driver_under_test.h"

namespace tandem::compose {

// The reference: it shows outputs.
[[nodiscard]] const conform::DriverUnderTest& SoftUnderTest();
// One for each Vulkan device of this machine that the driver takes. Loads Vulkan drivers into the process.
[[nodiscard]] std::vector<conform::DriverUnderTest> VulkanUnderTest();

}  // namespace tandem::compose
