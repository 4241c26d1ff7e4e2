// Images that an application makes of a swap chain's memory: VkImageSwapchainCreateInfoKHR, VkBindImageMemorySwapchainInfoKHR.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// vkCreateImage and vkBindImageMemory2, which let every image through that is not of a swap chain of ours; null for other names.
[[nodiscard]] PFN_vkVoidFunction ImageFunction(const char* name);

}  // namespace tandem::layer
