#include "drivers/vulkan/testing/discrete_gpu.h"

#include <string_view>

namespace tandem::vulkan::testing {
namespace {

PFN_vkGetInstanceProcAddr g_get_instance_proc_addr = nullptr;
PFN_vkGetPhysicalDeviceProperties2 g_properties2 = nullptr;

VKAPI_ATTR void VKAPI_CALL Properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* out) {
  g_properties2(device, out);
  out->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL InstanceProc(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction real = g_get_instance_proc_addr(instance, name);
  if (std::string_view(name) != "vkGetPhysicalDeviceProperties2") return real;
  g_properties2 = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(&Properties2);
}

}  // namespace

BorrowedDevice AsDiscreteGpu(const BorrowedDevice& real) {
  g_get_instance_proc_addr = real.get_instance_proc_addr;
  BorrowedDevice gpu = real;
  gpu.get_instance_proc_addr = &InstanceProc;
  return gpu;
}

}  // namespace tandem::vulkan::testing
