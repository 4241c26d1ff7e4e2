#include "tests/programs/vulkan_program.h"

#include <cstdio>
#include <cstdlib>

namespace tandem::test {

void GiveUp(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(kExitVulkanFailure);
}

void Check(VkResult result, const char* call) {
  if (result < 0) GiveUp(std::string(call) + " answered " + std::to_string(result) + ".");
}

namespace {

VkInstance CreateInstance(const std::vector<const char*>& surface_extensions, const VkAllocationCallbacks* host_memory) {
  std::vector<const char*> extensions{VK_KHR_SURFACE_EXTENSION_NAME};
  extensions.insert(extensions.end(), surface_extensions.begin(), surface_extensions.end());
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "Test program";
  application.pEngineName = "Pattern";
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkInstance instance = VK_NULL_HANDLE;
  Check(vkCreateInstance(&info, host_memory, &instance), "vkCreateInstance");
  return instance;
}

std::uint32_t GraphicsFamily(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0) return i;
  }
  GiveUp("No queue family draws.");
}

}  // namespace

VulkanProgram CreateProgram(const std::vector<const char*>& surface_extensions, const std::vector<const char*>& device_extensions,
                            const void* features, const VkAllocationCallbacks* host_memory) {
  VulkanProgram program;
  program.host_memory = host_memory;
  program.instance = CreateInstance(surface_extensions, host_memory);
  FindDevice(program);
  Check(TryCreateDevice(program, device_extensions, features), "vkCreateDevice");
  return program;
}

void FindDevice(VulkanProgram& program) {
  std::uint32_t count = 1;
  Check(vkEnumeratePhysicalDevices(program.instance, &count, &program.physical_device), "vkEnumeratePhysicalDevices");
  if (count == 0) GiveUp("There is no Vulkan device.");
  program.queue_family = GraphicsFamily(program.physical_device);
  vkGetPhysicalDeviceMemoryProperties(program.physical_device, &program.memory);
}

VkResult TryCreateDevice(VulkanProgram& program, const std::vector<const char*>& device_extensions, const void* features) {
  std::vector<const char*> extensions{VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  extensions.insert(extensions.end(), device_extensions.begin(), device_extensions.end());
  const float priority = 1.0F;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = program.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult result = vkCreateDevice(program.physical_device, &info, program.host_memory, &program.device);
  if (result >= 0) vkGetDeviceQueue(program.device, program.queue_family, 0, &program.queue);
  return result;
}

void DestroyProgram(VulkanProgram& program) {
  vkDestroyDevice(program.device, program.host_memory);
  vkDestroyInstance(program.instance, program.host_memory);
  program = VulkanProgram{};
}

std::unique_lock<std::mutex> LockQueue(const VulkanProgram& program) {
  return program.queue_mutex != nullptr ? std::unique_lock(*program.queue_mutex) : std::unique_lock<std::mutex>();
}

HostBuffer CreateHostBuffer(const VulkanProgram& program, VkDeviceSize size, VkBufferUsageFlags usage) {
  HostBuffer buffer;
  buffer.size = size;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  Check(vkCreateBuffer(program.device, &info, nullptr, &buffer.buffer), "vkCreateBuffer");
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(program.device, buffer.buffer, &needs);
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = needs.size;
  for (std::uint32_t i = 0; i < program.memory.memoryTypeCount; ++i) {
    const bool allowed = (needs.memoryTypeBits & (1U << i)) != 0;
    if (allowed && (program.memory.memoryTypes[i].propertyFlags & kWanted) == kWanted) {
      allocate.memoryTypeIndex = i;
      break;
    }
  }
  Check(vkAllocateMemory(program.device, &allocate, nullptr, &buffer.memory), "vkAllocateMemory");
  Check(vkBindBufferMemory(program.device, buffer.buffer, buffer.memory, 0), "vkBindBufferMemory");
  void* data = nullptr;
  Check(vkMapMemory(program.device, buffer.memory, 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  buffer.data = static_cast<std::byte*>(data);
  return buffer;
}

void DestroyHostBuffer(const VulkanProgram& program, HostBuffer& buffer) {
  vkDestroyBuffer(program.device, buffer.buffer, nullptr);
  vkFreeMemory(program.device, buffer.memory, nullptr);
  buffer = HostBuffer{};
}

}  // namespace tandem::test
