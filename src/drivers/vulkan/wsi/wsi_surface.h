// A VkSurfaceKHR of a Vulkan display adapter, created directly by its ICD.
#pragma once

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

// kUnsupported when the instance lacks the window system's extension, kSurfaceLost when the window is gone, kOutOfMemory. The
// caller destroys the surface with vkDestroySurfaceKHR.
[[nodiscard]] Result<VkSurfaceKHR> CreateWsiSurface(VkInstance instance, PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                                    const WsiTarget& target);

}  // namespace tandem::vulkan
