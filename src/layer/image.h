// Images that an application creates on a swap chain's memory: VkImageSwapchainCreateInfoKHR,
// VkBindImageMemorySwapchainInfoKHR.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// Resolves vkCreateImage and vkBindImageMemory2, which pass down images without a swap chain of ours; null for other names.
[[nodiscard]] PFN_vkVoidFunction ImageFunction(const char* name);

}  // namespace tandem::layer
