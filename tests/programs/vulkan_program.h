// A minimal Vulkan program for tests: instance, one device, one queue. Any failure ends the program with a sentence and exit
// code 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

namespace tandem::test {

inline constexpr int kExitVulkanFailure = 3;

[[noreturn]] void GiveUp(const std::string& what);
void Check(VkResult result, const char* call);

struct VulkanProgram {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;
  VkPhysicalDeviceMemoryProperties memory{};
  const VkAllocationCallbacks* host_memory = nullptr;  // of the instance and the device
  std::mutex* queue_mutex = nullptr;                   // held around each call on the queue if several threads make them
};

// Vulkan requires that one thread at a time uses a queue, and for vkDeviceWaitIdle all queues.
[[nodiscard]] std::unique_lock<std::mutex> LockQueue(const VulkanProgram& program);

// `device_extensions` are added to VK_KHR_swapchain. `features` is chained into VkDeviceCreateInfo (may be null). `host_memory`
// must outlive the program; null: the implementation's own.
VulkanProgram CreateProgram(const std::vector<const char*>& surface_extensions, const std::vector<const char*>& device_extensions,
                            const void* features, const VkAllocationCallbacks* host_memory = nullptr);
void DestroyProgram(VulkanProgram& program);

// Parts of CreateProgram() for a program that takes another device. FindDevice() takes the first that is listed.
void FindDevice(VulkanProgram& program);
[[nodiscard]] VkResult TryCreateDevice(VulkanProgram& program, const std::vector<const char*>& device_extensions,
                                       const void* features);

// A host-visible, coherent, mapped buffer.
struct HostBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  std::byte* data = nullptr;
  VkDeviceSize size = 0;
};
HostBuffer CreateHostBuffer(const VulkanProgram& program, VkDeviceSize size, VkBufferUsageFlags usage);
void DestroyHostBuffer(const VulkanProgram& program, HostBuffer& buffer);

}  // namespace tandem::test
