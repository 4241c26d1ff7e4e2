#include "layer/entry_points.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "layer/debug_names.h"
#include "layer/device.h"
#include "layer/image.h"
#include "layer/instance.h"
#include "layer/loader_chain.h"
#include "layer/newer_vulkan.h"
#include "layer/physical_device.h"
#include "layer/private_data.h"
#include "layer/queue.h"
#include "layer/surface.h"
#include "layer/surface_queries.h"
#include "layer/swapchain.h"
#include "layer/timing_commands.h"

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

// Commands of SwapchainFunction() and TimingFunction() that are not of VK_KHR_swapchain.
struct ExtensionCommand {
  std::string_view command;
  std::string_view extension;
};
constexpr ExtensionCommand kCommands[] = {
    {"vkGetCalibratedTimestampsKHR", VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME},
    {"vkGetPastPresentationTimingEXT", VK_EXT_PRESENT_TIMING_EXTENSION_NAME},
    {"vkGetSwapchainTimeDomainPropertiesEXT", VK_EXT_PRESENT_TIMING_EXTENSION_NAME},
    {"vkGetSwapchainTimingPropertiesEXT", VK_EXT_PRESENT_TIMING_EXTENSION_NAME},
    {"vkReleaseSwapchainImagesEXT", VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME},
    {"vkSetSwapchainPresentTimingQueueSizeEXT", VK_EXT_PRESENT_TIMING_EXTENSION_NAME},
    {"vkWaitForPresent2KHR", VK_KHR_PRESENT_WAIT_2_EXTENSION_NAME},
    {"vkWaitForPresentKHR", VK_KHR_PRESENT_WAIT_EXTENSION_NAME},
};

// A swap-chain command exists if its extension was enabled, as with any driver.
bool IsEnabled(const Device& device, std::string_view name) {
  const auto* const command = std::ranges::find(kCommands, name, &ExtensionCommand::command);
  const std::string_view extension = command == std::end(kCommands) ? VK_KHR_SWAPCHAIN_EXTENSION_NAME : command->extension;
  return std::ranges::find(device.enabled, extension) != device.enabled.end();
}

}  // namespace

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  if (const auto function = ChainFunction(name)) return function;
  if (instance == VK_NULL_HANDLE) return nullptr;
  const auto data = FindInstance(DispatchKey(instance));
  if (data == nullptr) return nullptr;
  if (data->system == nullptr) return data->next.GetInstanceProcAddr(instance, name);
  for (const auto lookup :
       {&RecordFunction, &PhysicalDeviceFunction, &SurfaceFunction, &SwapchainFunction, &TimingFunction, &TimeDomainQuery}) {
    if (const auto function = lookup(name)) return function;
  }
  const auto below = data->next.GetInstanceProcAddr(instance, name);
  if (below == nullptr) return nullptr;
  for (const auto lookup : {&QueueFunction, &DebugNameFunction, &ImageFunction, &PrivateDataFunction}) {
    if (const auto function = lookup(name)) return function;
  }
  return below;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  const auto data = FindInstance(DispatchKey(instance));
  return data == nullptr || data->system == nullptr ? nullptr : TimeDomainQuery(name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  const auto data = FindDevice(DispatchKey(device));
  if (data == nullptr) return nullptr;
  if (data->instance->system == nullptr) return data->next.GetDeviceProcAddr(device, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&GetDeviceProcAddr);
  if (std::strcmp(name, "vkDestroyDevice") == 0) return reinterpret_cast<PFN_vkVoidFunction>(&DestroyDevice);
  const auto below = data->next.GetDeviceProcAddr(device, name);
  if (!data->active) return below;
  for (const auto lookup : {&SwapchainFunction, &TimingFunction}) {
    if (const auto function = lookup(name)) return IsEnabled(*data, name) ? function : nullptr;
  }
  if (below == nullptr) return nullptr;
  Complete(data->next, name, below);
  for (const auto lookup : {&DebugNameFunction, &ImageFunction, &PrivateDataFunction}) {
    if (const auto function = lookup(name)) return function;
  }
  if (const auto function = data->copy_queue_shared ? QueueFunction(name) : nullptr) return function;
  return below;
}

}  // namespace tandem::layer
