// Host memory for the drivers' objects below the layer.
#pragma once

#include <vulkan/vulkan_core.h>

namespace tandem::layer {

// Callbacks for a device that the application creates with callbacks of its own. Tandem uses the device, too, on threads from
// which Vulkan forbids calls to the application's callbacks, and its work does not depend on the memory that they give.
// Thread-safe.
[[nodiscard]] const VkAllocationCallbacks& OwnHostMemory();

}  // namespace tandem::layer
