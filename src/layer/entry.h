// The layer's entry points: names to functions, for the loader.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

namespace tandem::layer {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);

}  // namespace tandem::layer
