// vkQueuePresentKHR over several swap chains.
#pragma once

#include <vulkan/vulkan_core.h>

#include "layer/device.h"

namespace tandem::layer {

// Presents to each swap chain of `info`, all of which are ours; stores each result and returns the worst. The first present
// waits for the semaphores; later work on the same queue follows it.
VkResult PresentAll(Device& device, VkQueue queue, const VkPresentInfoKHR& info);

}  // namespace tandem::layer
