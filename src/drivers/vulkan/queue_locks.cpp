#include "base/check.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

void QueueLocks::Add(VkQueue queue) {
  const std::lock_guard<std::mutex> lock(guard_);
  auto& mutex = locks_[queue];
  if (mutex == nullptr) mutex = std::make_unique<std::mutex>();
}

std::mutex& QueueLocks::For(VkQueue queue) {
  const std::lock_guard<std::mutex> lock(guard_);
  const auto found = locks_.find(queue);
  TANDEM_CHECK(found != locks_.end());
  return *found->second;
}

}  // namespace tandem::vulkan
