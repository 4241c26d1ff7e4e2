// Surface queries. The display adapter answers for extent and modes, both adapters together for formats.
#pragma once

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "layer/instance.h"
#include "layer/surface.h"

namespace tandem::layer {

// Errors: kSurfaceLost, or the reason why the surface could not be opened.
[[nodiscard]] Result<VkSurfaceCapabilitiesKHR> CapabilitiesOf(Surface& surface, const Instance& instance);
// Formats that both adapters support, preferred first.
[[nodiscard]] Result<std::vector<VkSurfaceFormatKHR>> FormatsOf(Surface& surface, const Instance& instance);

// Resolves vkGetPhysicalDeviceSurface* and vkGetPhysicalDevicePresentRectanglesKHR; null for any other name.
[[nodiscard]] PFN_vkVoidFunction SurfaceQueryFunction(const char* name);

}  // namespace tandem::layer
