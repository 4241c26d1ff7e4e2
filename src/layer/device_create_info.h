// What the layer changes in vkCreateDevice: features and extensions that the copy path needs, a transfer queue with one for
// shaders beside it, and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "layer/chain.h"

namespace tandem::layer {

// What is known of the physical device.
struct DeviceFacts {
  std::span<const VkExtensionProperties> extensions;  // of the driver
  std::span<const VkQueueFamilyProperties> families;
};

// A VkQueue that copies, or what encodes them, are submitted to.
struct CopyQueueChoice {
  std::uint32_t family = 0;
  std::uint32_t index = 0;
  bool shared = true;  // it is one of the application's
};

// A VkDeviceCreateInfo to pass down. The application's structures are not written to.
class DeviceCreateEdit {
 public:
  // `application` outlives this object.
  DeviceCreateEdit(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  DeviceCreateEdit(const DeviceCreateEdit&) = delete;
  DeviceCreateEdit& operator=(const DeviceCreateEdit&) = delete;

  [[nodiscard]] const VkDeviceCreateInfo& info() const { return info_; }
  [[nodiscard]] bool external_memory_host() const { return external_memory_host_; }
  [[nodiscard]] const CopyQueueChoice& copy_queue() const { return copy_queue_; }
  // One more that takes dispatches, never the application's. Nothing where the copy queue takes them, or no queue is left.
  [[nodiscard]] const std::optional<CopyQueueChoice>& compute_queue() const { return compute_queue_; }

 private:
  void EditExtensions(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  void EditFeatures(const DeviceFacts& facts);
  void EditQueues(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  CopyQueueChoice AddQueue(std::uint32_t family);

  ChainCopy chain_;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline_ = Structure<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr);
  std::vector<const char*> extensions_;
  std::vector<VkDeviceQueueCreateInfo> queues_;
  std::array<std::vector<float>, 2> priorities_;  // of the entries of queues_ that were added or extended
  std::uint32_t added_ = 0;
  bool external_memory_host_ = false;
  CopyQueueChoice copy_queue_;
  std::optional<CopyQueueChoice> compute_queue_;
  VkDeviceCreateInfo info_;
};

}  // namespace tandem::layer
