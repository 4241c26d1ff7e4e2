// Lies that the lying driver (lying_driver.cpp) was told, and the functions of the real driver.
#pragma once

#include <atomic>
#include <climits>

#include <vulkan/vulkan_core.h>

enum class Lie {
  kUnknown,
  kLoseDevice,
  kLoseOnce,
  kVanish,
  kRefuseImport,
  kOutOfMemory,
  kOutOfHostMemory,
  kOtherName,
  kLastRow,
  kNoSurfaces,
  kVulkan11,
  kVulkan10,
  kVulkan10Uuid
};

struct Liar {
  Lie lie = Lie::kUnknown;
  long from = 1;
  std::atomic<long> calls{0};
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  PFN_vkVoidFunction (*get_physical_device_proc_addr)(VkInstance, const char*) = nullptr;
  VkResult (*negotiate)(std::uint32_t*) = nullptr;
  std::atomic<PFN_vkGetDeviceProcAddr> get_device_proc_addr{nullptr};
  std::atomic<PFN_vkEnumerateInstanceExtensionProperties> instance_extensions{nullptr};
  std::atomic<PFN_vkEnumerateDeviceExtensionProperties> device_extensions{nullptr};
  // Functions of the real driver, shared by all its devices.
  std::atomic<PFN_vkAllocateMemory> allocate_memory{nullptr};
  std::atomic<PFN_vkCmdCopyBufferToImage> copy_buffer_to_image{nullptr};
  std::atomic<PFN_vkQueueSubmit> queue_submit{nullptr};
  std::atomic<PFN_vkQueueSubmit2> queue_submit2{nullptr};
  std::atomic<PFN_vkWaitSemaphores> wait_semaphores{nullptr};
  std::atomic<PFN_vkWaitForFences> wait_for_fences{nullptr};
  std::atomic<PFN_vkGetMemoryHostPointerPropertiesEXT> host_pointer_properties{nullptr};
  std::atomic<PFN_vkGetPhysicalDeviceProperties> properties{nullptr};
  std::atomic<PFN_vkGetPhysicalDeviceProperties2> properties2{nullptr};
  std::atomic<PFN_vkGetPhysicalDeviceFeatures2> features2{nullptr};
  std::atomic<PFN_vkCreateDevice> create_device{nullptr};
  std::atomic<PFN_vkCreateSemaphore> create_semaphore{nullptr};
  std::atomic<PFN_vkCreateInstance> create_instance{nullptr};
  std::atomic<PFN_vkCreateShaderModule> create_shader_module{nullptr};

  // Counts one call; true if this call must lie.
  bool Count() { return calls.fetch_add(1) + 1 >= from; }
  [[nodiscard]] bool Started() const { return calls.load() >= from; }
  [[nodiscard]] bool LosesDevices() const { return lie == Lie::kLoseDevice || lie == Lie::kLoseOnce || lie == Lie::kVanish; }
  // The next devices work.
  void StopLosing() { calls.store(LONG_MIN); }
  [[nodiscard]] bool IsVulkan10() const { return lie == Lie::kVulkan10 || lie == Lie::kVulkan10Uuid; }
  [[nodiscard]] bool IsOld() const { return lie == Lie::kVulkan11 || IsVulkan10(); }
  [[nodiscard]] std::uint32_t version() const { return IsVulkan10() ? VK_API_VERSION_1_0 : VK_API_VERSION_1_1; }
};

// The one of this process, after the first call's look at the environment.
[[nodiscard]] Liar& TheLiar();

// Keeps the real function for `ours`, which stands for it.
template <class T>
PFN_vkVoidFunction ReplaceInto(std::atomic<T>& slot, PFN_vkVoidFunction real, T ours) {
  slot.store(reinterpret_cast<T>(real));
  return reinterpret_cast<PFN_vkVoidFunction>(ours);
}
