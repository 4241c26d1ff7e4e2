// The layer form: the next element of the loader's chain.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// vkCreateInstance of a layer. The loader names the next element in `create_info`.
VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* create_info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance);

}  // namespace tandem::layer
