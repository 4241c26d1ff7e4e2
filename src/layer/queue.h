// Calls on a VkQueue; the graphics kernel may submit copies to the same queue from another thread.
#pragma once

#include <mutex>

#include <vulkan/vulkan_core.h>

#include "layer/device.h"

namespace tandem::layer {

// Holds the queue's lock if copies use the queue, too.
class QueueGuard {
 public:
  QueueGuard(Device& device, VkQueue queue) {
    if (device.copy_queue_shared && queue == device.copy_queue) lock_ = std::unique_lock(device.locks->For(queue));
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

// Resolves vkQueueSubmit, the other functions that need an externally synchronized queue, and vkDeviceWaitIdle; null for any
// other name. Required on a device with a shared copy queue, and correct on every device.
[[nodiscard]] PFN_vkVoidFunction QueueFunction(const char* name);

}  // namespace tandem::layer
