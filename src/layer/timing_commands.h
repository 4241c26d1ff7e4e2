// VK_EXT_present_timing and VK_KHR_calibrated_timestamps.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// Resolves their device commands; null for any other name.
[[nodiscard]] PFN_vkVoidFunction TimingFunction(const char* name);
// Resolves vkGetPhysicalDeviceCalibrateableTimeDomainsKHR; null for any other name.
[[nodiscard]] PFN_vkVoidFunction TimeDomainQuery(const char* name);

}  // namespace tandem::layer
