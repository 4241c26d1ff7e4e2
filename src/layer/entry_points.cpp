#include "layer/entry_points.h"

#include <cstring>
#include <string_view>

#include "layer/debug_names.h"
#include "layer/device.h"
#include "layer/image.h"
#include "layer/instance.h"
#include "layer/loader_chain.h"
#include "layer/physical_device.h"
#include "layer/private_data.h"
#include "layer/queue.h"
#include "layer/surface.h"
#include "layer/surface_queries.h"
#include "layer/swapchain.h"

namespace tandem::layer {
namespace {

#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)

// Functions that the loader's chain needs even when the layer steps aside: each element must take itself out of the list that
// creates instance and device.
PFN_vkVoidFunction ChainFunction(const char* name) {
  TANDEM_NAMED(GetInstanceProcAddr);
  TANDEM_NAMED(CreateInstance);
  TANDEM_NAMED(CreateDevice);
  return nullptr;
}

PFN_vkVoidFunction RecordFunction(const char* name) {
  TANDEM_NAMED(GetDeviceProcAddr);
  TANDEM_NAMED(DestroyInstance);
  TANDEM_NAMED(DestroyDevice);
  return nullptr;
}

PFN_vkVoidFunction PhysicalDeviceFunction(const char* name) {
  TANDEM_NAMED(EnumeratePhysicalDevices);
  TANDEM_NAMED(EnumeratePhysicalDeviceGroups);
  TANDEM_NAMED(EnumerateDeviceExtensionProperties);
  TANDEM_NAMED(GetPhysicalDeviceFeatures2);
  if (std::strcmp(name, "vkEnumeratePhysicalDeviceGroupsKHR") == 0)
    return PhysicalDeviceFunction("vkEnumeratePhysicalDeviceGroups");
  if (std::strcmp(name, "vkGetPhysicalDeviceFeatures2KHR") == 0) return PhysicalDeviceFunction("vkGetPhysicalDeviceFeatures2");
  return nullptr;
}

PFN_vkVoidFunction SurfaceFunction(const char* name) {
  TANDEM_NAMED(DestroySurfaceKHR);
  if (const auto creation = SurfaceCreationFunction(name)) return creation;
  return SurfaceQueryFunction(name);
}
#undef TANDEM_NAMED

// A swap-chain command exists if its extension was enabled, as with any driver.
bool IsEnabled(const EnabledExtensions& enabled, std::string_view name) {
  if (name == "vkWaitForPresentKHR") return enabled.present_wait;
  if (name == "vkReleaseSwapchainImagesEXT") return enabled.swapchain_maintenance1;
  return enabled.swapchain;
}

}  // namespace

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (const auto function = ChainFunction(name)) return function;
  if (instance == VK_NULL_HANDLE) return nullptr;
  const auto data = FindInstance(DispatchKey(instance));
  if (data == nullptr) return nullptr;
  if (data->system == nullptr) return data->next.GetInstanceProcAddr(instance, name);
  for (const auto lookup : {&RecordFunction, &PhysicalDeviceFunction, &SurfaceFunction, &SwapchainFunction}) {
    if (const auto function = lookup(name)) return function;
  }
  const auto below = data->next.GetInstanceProcAddr(instance, name);
  if (below == nullptr) return nullptr;
  for (const auto lookup : {&QueueFunction, &DebugNameFunction, &ImageFunction, &PrivateDataFunction}) {
    if (const auto function = lookup(name)) return function;
  }
  return below;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  const auto data = FindDevice(DispatchKey(device));
  if (data == nullptr) return nullptr;
  if (data->instance->system == nullptr) return data->next.GetDeviceProcAddr(device, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&GetDeviceProcAddr);
  if (std::strcmp(name, "vkDestroyDevice") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&DestroyDevice);
  const auto below = data->next.GetDeviceProcAddr(device, name);
  if (!data->active) return below;
  if (const auto function = SwapchainFunction(name)) return IsEnabled(data->enabled, name) ? function : nullptr;
  if (below == nullptr) return nullptr;
  Complete(data->next, name, below);
  for (const auto lookup : {&DebugNameFunction, &ImageFunction, &PrivateDataFunction}) {
    if (const auto function = lookup(name)) return function;
  }
  if (const auto function = data->copy_queue_shared ? QueueFunction(name) : nullptr) return function;
  return below;
}

}  // namespace tandem::layer
