// The layer's changes to vkCreateDevice: features and extensions for the copy path, a transfer queue and a queue for shaders.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "layer/chain.h"
#include "system/render_session.h"

namespace tandem::layer {

// Properties of the physical device.
struct DeviceFacts {
  std::span<const VkExtensionProperties> extensions;  // the driver's
  std::span<const VkQueueFamilyProperties> families;
  bool is_processor = false;  // a software device
};

// VkPhysicalDeviceHostImageCopyFeaturesEXT, which headers before 1.3.258 lack.
struct HostImageCopyFeatures {
  VkStructureType sType = static_cast<VkStructureType>(1000270000);
  void* pNext = nullptr;
  VkBool32 hostImageCopy = VK_TRUE;
};

// A VkQueue for copies or encoding.
struct CopyQueueChoice {
  std::uint32_t family = 0;
  std::uint32_t index = 0;
  bool shared = true;  // also used by the application
};

// The VkDeviceCreateInfo to pass down. The application's structures stay unchanged.
class DeviceCreateEdit {
 public:
  // `application` must outlive this object.
  DeviceCreateEdit(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  DeviceCreateEdit(const DeviceCreateEdit&) = delete;
  DeviceCreateEdit& operator=(const DeviceCreateEdit&) = delete;

  [[nodiscard]] const VkDeviceCreateInfo& info() const { return info_; }
  [[nodiscard]] bool external_memory_host() const { return external_memory_host_; }
  // On software devices alone: elsewhere images for host copies may cost the device's own compression.
  [[nodiscard]] bool host_image_copy() const { return host_image_copy_; }
  [[nodiscard]] const system::CrossingExtensions& crossing() const { return crossing_; }
  [[nodiscard]] const CopyQueueChoice& copy_queue() const { return copy_queue_; }
  // An additional queue for dispatches, never one of the application's. Nothing if the copy queue accepts dispatches, or no
  // queue is left.
  [[nodiscard]] const std::optional<CopyQueueChoice>& compute_queue() const { return compute_queue_; }

 private:
  [[nodiscard]] bool Enables(std::string_view name) const;  // below
  void EditExtensions(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  void EditFeatures();
  void EnableTimelines();
  void EnableHostImageCopy();
  void EditQueues(const VkDeviceCreateInfo& application, const DeviceFacts& facts);
  CopyQueueChoice AddQueue(std::uint32_t family);

  ChainCopy chain_;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline_ = Structure<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr);
  HostImageCopyFeatures host_image_copies_;
  std::vector<const char*> extensions_;
  std::vector<VkDeviceQueueCreateInfo> queues_;
  std::array<std::vector<float>, 2> priorities_;  // used by the added or extended entries of queues_
  std::uint32_t added_ = 0;
  bool external_memory_host_ = false;
  bool host_image_copy_ = false;
  system::CrossingExtensions crossing_;
  CopyQueueChoice copy_queue_;
  std::optional<CopyQueueChoice> compute_queue_;
  VkDeviceCreateInfo info_;
};

}  // namespace tandem::layer
