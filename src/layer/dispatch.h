// The functions below the layer for each instance and device, and the maps from handles to our objects.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include <vulkan/vulkan_core.h>

#include "layer/newer_vulkan.h"

namespace tandem::layer {

// Names without the vk prefix: what the layer calls, and what the driver that borrows its device looks up
// (vulkan/icd/dispatch.h). Surface functions are null when their extension is not enabled below.
#define TANDEM_INSTANCE_FUNCTIONS(X)              \
  X(CreateDevice)                                 \
  X(DestroyInstance)                              \
  X(DestroySurfaceKHR)                            \
  X(EnumerateDeviceExtensionProperties)           \
  X(EnumeratePhysicalDevices)                     \
  X(GetPhysicalDeviceCalibrateableTimeDomainsKHR) \
  X(GetPhysicalDeviceExternalBufferProperties)    \
  X(GetPhysicalDeviceExternalSemaphoreProperties) \
  X(GetPhysicalDeviceFeatures2)                   \
  X(GetPhysicalDeviceFormatProperties)            \
  X(GetPhysicalDeviceImageFormatProperties)       \
  X(GetPhysicalDeviceImageFormatProperties2)      \
  X(GetPhysicalDeviceMemoryProperties)            \
  X(GetPhysicalDeviceProperties)                  \
  X(GetPhysicalDeviceProperties2)                 \
  X(GetPhysicalDeviceQueueFamilyProperties)       \
  X(GetPhysicalDevicePresentRectanglesKHR)        \
  X(GetPhysicalDeviceSurfaceCapabilities2EXT)     \
  X(GetPhysicalDeviceSurfaceCapabilities2KHR)     \
  X(GetPhysicalDeviceSurfaceCapabilitiesKHR)      \
  X(GetPhysicalDeviceSurfaceFormats2KHR)          \
  X(GetPhysicalDeviceSurfaceFormatsKHR)           \
  X(GetPhysicalDeviceSurfacePresentModesKHR)      \
  X(GetPhysicalDeviceSurfaceSupportKHR)

#define TANDEM_DEVICE_FUNCTIONS(X)         \
  X(AcquireNextImage2KHR)                  \
  X(AcquireNextImageKHR)                   \
  X(AllocateCommandBuffers)                \
  X(BindImageMemory2)                      \
  X(CreateFence)                           \
  X(CreateImage)                           \
  X(CreateSwapchainKHR)                    \
  X(DebugMarkerSetObjectNameEXT)           \
  X(DebugMarkerSetObjectTagEXT)            \
  X(DestroyDevice)                         \
  X(DestroyFence)                          \
  X(DestroyPrivateDataSlot)                \
  X(DestroyPrivateDataSlotEXT)             \
  X(DestroySwapchainKHR)                   \
  X(DeviceWaitIdle)                        \
  X(GetCalibratedTimestampsKHR)            \
  X(GetDeviceGroupSurfacePresentModesKHR)  \
  X(GetDeviceQueue)                        \
  X(GetDeviceQueue2)                       \
  X(GetPastPresentationTimingEXT)          \
  X(GetPrivateData)                        \
  X(GetPrivateDataEXT)                     \
  X(GetSwapchainImagesKHR)                 \
  X(GetSwapchainTimeDomainPropertiesEXT)   \
  X(GetSwapchainTimingPropertiesEXT)       \
  X(QueueBindSparse)                       \
  X(QueuePresentKHR)                       \
  X(QueueSubmit)                           \
  X(QueueSubmit2)                          \
  X(QueueSubmit2KHR)                       \
  X(QueueWaitIdle)                         \
  X(ReleaseSwapchainImagesEXT)             \
  X(SetDebugUtilsObjectNameEXT)            \
  X(SetDebugUtilsObjectTagEXT)             \
  X(SetPrivateData)                        \
  X(SetPrivateDataEXT)                     \
  X(SetSwapchainPresentTimingQueueSizeEXT) \
  X(WaitForFences)                         \
  X(WaitForPresent2KHR)                    \
  X(WaitForPresentKHR)

struct InstanceTable {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define TANDEM_MEMBER(name) PFN_vk##name name = nullptr;
  TANDEM_INSTANCE_FUNCTIONS(TANDEM_MEMBER)
#undef TANDEM_MEMBER
};

struct DeviceTable {
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
#define TANDEM_MEMBER(name) PFN_vk##name name = nullptr;
  TANDEM_DEVICE_FUNCTIONS(TANDEM_MEMBER)
#undef TANDEM_MEMBER
};

// Must be called inside vkCreateInstance. Later the loader's end of the chain answers with the first element instead of the
// next.
[[nodiscard]] InstanceTable LoadInstanceTable(VkInstance instance, PFN_vkGetInstanceProcAddr next);
[[nodiscard]] DeviceTable LoadDeviceTable(VkDevice device, PFN_vkGetDeviceProcAddr next);
// Adds a function that was missing when the table was loaded. The loader offers some (VK_EXT_debug_utils) only after
// vkCreateDevice has returned.
void Complete(DeviceTable& table, const char* name, PFN_vkVoidFunction function);

// Finds a function of the table by its name; null if the table lacks it.
[[nodiscard]] PFN_vkVoidFunction FindByName(const InstanceTable& table, const char* name);

// True in the driver form, from the load of its library on. The loader writes its dispatch pointer into a driver's devices and
// queues only after the driver has returned them, and into its instances and physical devices never.
inline bool keys_are_handles = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

// The key of an instance and its physical devices, or of a device and its queues. In the layer form all of them share the
// loader's dispatch pointer. In the driver form each handle is a key of its own, and each must be inserted.
template <class DispatchableHandle>
[[nodiscard]] void* DispatchKey(DispatchableHandle handle) {
  return keys_are_handles ? static_cast<void*>(handle) : *reinterpret_cast<void**>(handle);
}

// Maps handles to objects. Thread-safe; readers do not wait for each other.
template <class Key, class T>
class HandleMap {
 public:
  // Null for an unknown key.
  [[nodiscard]] std::shared_ptr<T> Find(Key key) const {
    const std::shared_lock lock(mutex_);
    const auto found = items_.find(key);
    return found == items_.end() ? nullptr : found->second;
  }

  void Insert(Key key, std::shared_ptr<T> item) {
    const std::unique_lock lock(mutex_);
    items_[key] = std::move(item);
  }

  // Removes the object; null for an unknown key. The caller destroys the object, outside the lock.
  std::shared_ptr<T> Remove(Key key) {
    const std::unique_lock lock(mutex_);
    const auto found = items_.find(key);
    if (found == items_.end()) return nullptr;
    std::shared_ptr<T> item = std::move(found->second);
    items_.erase(found);
    return item;
  }

  // Destroys all objects.
  void Clear() {
    std::unordered_map<Key, std::shared_ptr<T>> items;
    {
      const std::unique_lock lock(mutex_);
      items.swap(items_);
    }
  }

  template <class Visitor>
  void ForEach(Visitor visit) const {
    const std::shared_lock lock(mutex_);
    for (const auto& [key, item] : items_) visit(*item);
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<T>> items_;
};

}  // namespace tandem::layer
