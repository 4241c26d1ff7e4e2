// What the layer changes in vkCreateDevice: features and extensions that the copy path needs, a transfer queue, and nothing else.
#pragma once

#include <cstdint>
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

// The VkQueue that copies are submitted to.
struct CopyQueueChoice {
  std::uint32_t family = 0;
  std::uint32_t index = 0;
  bool shared = true;  // it is one of the application's
};

// A VkDeviceCreateInfo to pass down. The application's structures are not written to, save for one case: a feature structure
// behind one that this build does not know is edited in place while this object lives.
class DeviceCreateEdit {
 public:
  // `application` outlives this object.
  DeviceCreateEdit(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  ~DeviceCreateEdit();
  DeviceCreateEdit(const DeviceCreateEdit&) = delete;
  DeviceCreateEdit& operator=(const DeviceCreateEdit&) = delete;

  [[nodiscard]] const VkDeviceCreateInfo& info() const { return info_; }
  [[nodiscard]] bool external_memory_host() const { return external_memory_host_; }
  [[nodiscard]] const CopyQueueChoice& copy_queue() const { return copy_queue_; }

 private:
  void EditExtensions(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  void EditFeatures(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  void EditQueues(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  void AddQueue(std::uint32_t family);

  ChainCopy chain_;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline_ = Structure<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr);
  VkBool32* edited_in_place_ = nullptr;
  VkBool32 original_value_ = VK_FALSE;
  std::vector<const char*> extensions_;
  std::vector<VkDeviceQueueCreateInfo> queues_;
  std::vector<float> priorities_;  // of the extended entry of queues_
  bool external_memory_host_ = false;
  CopyQueueChoice copy_queue_;
  VkDeviceCreateInfo info_;
};

}  // namespace tandem::layer
