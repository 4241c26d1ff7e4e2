// Calls on a VkQueue: the graphics kernel's copies may go to the same queue, from another thread.
#pragma once

#include <mutex>

#include <vulkan/vulkan_core.h>

#include "layer/device.h"

namespace tandem::layer {

// Holds the queue's lock when copies are submitted to it too.
class QueueGuard {
 public:
  QueueGuard(Device& device, VkQueue queue) {
    if (device.copy_queue_shared && queue == device.copy_queue) lock_ = std::unique_lock(device.locks->For(queue));
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

// vkQueueSubmit and the others that need the queue to be externally synchronized, vkDeviceWaitIdle. Null for any other name.
// Needed on a device that shares its copy queue; correct on every device.
[[nodiscard]] PFN_vkVoidFunction QueueFunction(const char* name);

}  // namespace tandem::layer
