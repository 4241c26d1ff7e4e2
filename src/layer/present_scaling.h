// VK_EXT_swapchain_maintenance1's scaling of frames to another window size.
#pragma once

#include <vulkan/vulkan_core.h>

#include "system/system.h"

namespace tandem::layer {

inline constexpr VkPresentScalingFlagsEXT kPresentScalings =
    VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT | VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT | VK_PRESENT_SCALING_STRETCH_BIT_EXT;
inline constexpr VkPresentGravityFlagsEXT kPresentGravities =
    VK_PRESENT_GRAVITY_MIN_BIT_EXT | VK_PRESENT_GRAVITY_MAX_BIT_EXT | VK_PRESENT_GRAVITY_CENTERED_BIT_EXT;

// The scaling that the swap chain asks for.
[[nodiscard]] system::Fit ToFit(const VkSwapchainCreateInfoKHR& info);

}  // namespace tandem::layer
