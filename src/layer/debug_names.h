// Object names and tags from the application; those of surfaces and swap chains stop in the layer.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// Resolves vkSetDebugUtilsObjectNameEXT and its relatives; null for any other name.
[[nodiscard]] PFN_vkVoidFunction DebugNameFunction(const char* name);

}  // namespace tandem::layer
