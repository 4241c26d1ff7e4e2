// Asks an open Vulkan driver all that a record keeps.
#pragma once

#include <span>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "system/driver_record.h"

namespace tandem::system {

// `instance` is one of Vulkan 1.1 or newer, `devices` are all that it enumerates. kUnsupported when a group has several devices,
// when a device has no queue family, or when there are more devices than a record holds.
[[nodiscard]] Result<DriverRecord> DescribeDriver(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                                                  std::span<const VkPhysicalDevice> devices);

}  // namespace tandem::system
