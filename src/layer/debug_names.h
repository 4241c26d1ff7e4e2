// Names and tags that the application gives to objects: those for surfaces and swap chains stop here.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// vkSetDebugUtilsObjectNameEXT and its kin; null for any other name.
[[nodiscard]] PFN_vkVoidFunction DebugNameFunction(const char* name);

}  // namespace tandem::layer
