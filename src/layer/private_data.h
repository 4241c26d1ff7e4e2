// Private data of our swap chains: the driver below would read its own object behind such a handle.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include <vulkan/vulkan_core.h>

#include "base/thread.h"

namespace tandem::layer {

// Values by object and slot. Thread-safe.
class PrivateData {
 public:
  void Set(std::uint64_t object, VkPrivateDataSlot slot, std::uint64_t value);
  // 0 if no value was set.
  [[nodiscard]] std::uint64_t Get(std::uint64_t object, VkPrivateDataSlot slot) const;
  void ForgetObject(std::uint64_t object);
  void ForgetSlot(VkPrivateDataSlot slot);

 private:
  mutable Mutex mutex_;
  std::map<std::pair<std::uint64_t, VkPrivateDataSlot>, std::uint64_t> values_ TANDEM_GUARDED_BY(mutex_);
};

// Resolves vkSetPrivateData, vkGetPrivateData and vkDestroyPrivateDataSlot under both of their names; null for any other name.
[[nodiscard]] PFN_vkVoidFunction PrivateDataFunction(const char* name);

}  // namespace tandem::layer
