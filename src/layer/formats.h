// Between Vulkan's formats and present modes and the runtime's.
#pragma once

#include <optional>

#include <vulkan/vulkan_core.h>

#include "swapchain/swap_chain.h"

#include <dxgiformat.h>

namespace tandem::layer {

// VK_FORMAT_UNDEFINED and DXGI_FORMAT_UNKNOWN for one that no swap chain has.
[[nodiscard]] VkFormat ToVkFormat(DXGI_FORMAT format);
[[nodiscard]] DXGI_FORMAT ToDxgiFormat(VkFormat format);

[[nodiscard]] const char* ToString(VkFormat format);  // "B8G8R8A8_UNORM"

// How the window system reads the values of this format: RGBA16F is scRGB, the others sRGB.
[[nodiscard]] VkColorSpaceKHR ColorSpaceOf(VkFormat format);

[[nodiscard]] VkPresentModeKHR ToVkPresentMode(swapchain::PresentMode mode);
// Nothing for the shared presentable modes.
[[nodiscard]] std::optional<swapchain::PresentMode> ToPresentMode(VkPresentModeKHR mode);

// Every use of a swap-chain image that the device can make of this format in optimal tiling.
[[nodiscard]] VkImageUsageFlags ToImageUsage(VkFormatFeatureFlags features);

}  // namespace tandem::layer
