#include "drivers/vulkan/testing/split_memory.h"

#include <string_view>

namespace tandem::vulkan::testing {
namespace {

struct State {
  BorrowedDevice real;
  std::uint32_t own_type = 0;  // the memory type that does not really exist
  PFN_vkGetPhysicalDeviceMemoryProperties properties = nullptr;
  PFN_vkGetBufferMemoryRequirements of_buffer = nullptr;
  PFN_vkGetImageMemoryRequirements of_image = nullptr;
  PFN_vkAllocateMemory allocate = nullptr;
};
State g_state;

VKAPI_ATTR void VKAPI_CALL Properties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* out) {
  g_state.properties(device, out);
  for (std::uint32_t i = 0; i < out->memoryTypeCount; ++i)
    out->memoryTypes[i].propertyFlags &= ~VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  g_state.own_type = out->memoryTypeCount;
  out->memoryTypes[out->memoryTypeCount++] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
}

VKAPI_ATTR void VKAPI_CALL OfBuffer(VkDevice device, VkBuffer buffer, VkMemoryRequirements* out) {
  g_state.of_buffer(device, buffer, out);
  out->memoryTypeBits |= 1U << g_state.own_type;
}

VKAPI_ATTR void VKAPI_CALL OfImage(VkDevice device, VkImage image, VkMemoryRequirements* out) {
  g_state.of_image(device, image, out);
  out->memoryTypeBits |= 1U << g_state.own_type;
}

VKAPI_ATTR VkResult VKAPI_CALL Allocate(VkDevice device, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* allocator,
                                        VkDeviceMemory* out) {
  VkMemoryAllocateInfo real = *info;
  if (real.memoryTypeIndex == g_state.own_type) real.memoryTypeIndex = 0;
  return g_state.allocate(device, &real, allocator, out);
}

template <class Pfn>
PFN_vkVoidFunction Replace(Pfn& kept, PFN_vkVoidFunction real, Pfn by) {
  kept = reinterpret_cast<Pfn>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(by);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL InstanceProc(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction real = g_state.real.get_instance_proc_addr(instance, name);
  const bool wanted = std::string_view(name) == "vkGetPhysicalDeviceMemoryProperties";
  return wanted ? Replace(g_state.properties, real, &Properties) : real;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL DeviceProc(VkDevice device, const char* name) {
  const PFN_vkVoidFunction real = g_state.real.get_device_proc_addr(device, name);
  const std::string_view wanted(name);
  if (wanted == "vkGetBufferMemoryRequirements") return Replace(g_state.of_buffer, real, &OfBuffer);
  if (wanted == "vkGetImageMemoryRequirements") return Replace(g_state.of_image, real, &OfImage);
  if (wanted == "vkAllocateMemory") return Replace(g_state.allocate, real, &Allocate);
  return real;
}

}  // namespace

BorrowedDevice SplitMemory(const BorrowedDevice& real) {
  g_state.real = real;
  BorrowedDevice split = real;
  split.get_instance_proc_addr = &InstanceProc;
  split.get_device_proc_addr = &DeviceProc;
  return split;
}

}  // namespace tandem::vulkan::testing
