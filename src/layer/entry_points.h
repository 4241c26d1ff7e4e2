// Names to functions, for the loader; both forms answer with them.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);
// Finds the commands of physical devices that older loaders do not know; null for any other name.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetPhysicalDeviceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);

}  // namespace tandem::layer
