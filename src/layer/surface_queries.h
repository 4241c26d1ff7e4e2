// What the application may ask of a surface: answered by the display adapter for extent and modes, by both adapters for formats.
#pragma once

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "layer/instance.h"
#include "layer/surface.h"

namespace tandem::layer {

// kSurfaceLost, or why it could not be opened.
[[nodiscard]] Result<VkSurfaceCapabilitiesKHR> CapabilitiesOf(Surface& surface, const Instance& instance);
// That both adapters take, preferred first.
[[nodiscard]] Result<std::vector<VkSurfaceFormatKHR>> FormatsOf(Surface& surface, const Instance& instance);

// vkGetPhysicalDeviceSurface*, vkGetPhysicalDevicePresentRectanglesKHR. Null for any other name.
[[nodiscard]] PFN_vkVoidFunction SurfaceQueryFunction(const char* name);

}  // namespace tandem::layer
