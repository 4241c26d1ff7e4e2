// vkQueuePresentKHR over several swap chains.
#pragma once

#include <vulkan/vulkan_core.h>

#include "layer/device.h"

namespace tandem::layer {

// Presents to each swap chain of `info`, which are ours; gives each its result and returns the worst.
// The wait semaphores are waited for once, by the first: work that follows on the same queue is behind them.
VkResult PresentAll(Device& device, VkQueue queue, const VkPresentInfoKHR& info);

}  // namespace tandem::layer
