// The drivers of this tree as drivers under test.
#pragma once

#include <vector>

#include "config/adapter_info.h"
#include "conform/driver_under_test.h"

namespace tandem::system {

// The reference driver, which shows outputs.
[[nodiscard]] const conform::DriverUnderTest& SoftUnderTest();
// The soft driver with its user-mode half of the Direct3D 9 class, translated.
[[nodiscard]] const conform::DriverUnderTest& SoftClass9UnderTest();
// One for each Vulkan device of this machine that the driver accepts. Loads Vulkan drivers into the process.
[[nodiscard]] std::vector<conform::DriverUnderTest> VulkanUnderTest();

// The soft driver with a display-only driver, which was loaded, as its screen.
[[nodiscard]] conform::DriverUnderTest DisplayOnlyUnderTest(const conform::DriverUnderTest& loaded);

// The driver of an adapter of this machine, with that adapter as its device.
[[nodiscard]] conform::DriverUnderTest UnderTest(const config::AdapterInfo& adapter);

}  // namespace tandem::system
