// Converts formats and present modes between Vulkan and the runtime.
#pragma once

#include <optional>

#include <vulkan/vulkan_core.h>

#include "swapchain/swap_chain.h"

#include <dxgiformat.h>

namespace tandem::layer {

// VK_FORMAT_UNDEFINED and DXGI_FORMAT_UNKNOWN for a format that no swap chain has.
[[nodiscard]] VkFormat ToVkFormat(DXGI_FORMAT format);
[[nodiscard]] DXGI_FORMAT ToDxgiFormat(VkFormat format);

[[nodiscard]] const char* ToString(VkFormat format);  // "B8G8R8A8_UNORM"

// The window system's colour space for this format: scRGB for RGBA16F, sRGB for the others.
[[nodiscard]] VkColorSpaceKHR ColorSpaceOf(VkFormat format);

[[nodiscard]] VkPresentModeKHR ToVkPresentMode(swapchain::PresentMode mode);
// Nothing for the shared presentable modes.
[[nodiscard]] std::optional<swapchain::PresentMode> ToPresentMode(VkPresentModeKHR mode);

// Every swap-chain image usage that the device supports for this format in optimal tiling.
[[nodiscard]] VkImageUsageFlags ToImageUsage(VkFormatFeatureFlags features);

}  // namespace tandem::layer
