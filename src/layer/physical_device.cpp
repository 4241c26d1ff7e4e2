#include "layer/physical_device.h"

#include <array>
#include <cstring>
#include <vector>

#include "layer/chain.h"
#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/instance.h"
#include "layer/own_features.h"

namespace tandem::layer {
namespace {

enum class Match { kNone, kNumbers, kIdentity };

Match Compare(const InstanceTable& next, VkPhysicalDevice device, const config::AdapterInfo& adapter) {
  auto identity = Structure<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, nullptr);
  auto properties = Structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &identity);
  next.GetPhysicalDeviceProperties2(device, &properties);
  if (properties.properties.vendorID != adapter.vendor_id || properties.properties.deviceID != adapter.device_id)
    return Match::kNone;
  const bool same = std::memcmp(identity.deviceUUID, adapter.device_uuid.data(), VK_UUID_SIZE) == 0 &&
                    std::memcmp(identity.driverUUID, adapter.driver_uuid.data(), VK_UUID_SIZE) == 0;
  return same ? Match::kIdentity : Match::kNumbers;
}

bool HasTimelineSemaphores(const InstanceTable& next, VkPhysicalDevice device) {
  auto timeline = Structure<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr);
  auto features = Structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &timeline);
  next.GetPhysicalDeviceFeatures2(device, &features);
  return timeline.timelineSemaphore == VK_TRUE;
}

std::vector<VkPhysicalDevice> DevicesBelow(VkInstance instance, PFN_vkEnumeratePhysicalDevices enumerate) {
  std::vector<VkPhysicalDevice> devices;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    uint32_t count = 0;
    if (enumerate(instance, &count, nullptr) != VK_SUCCESS) return {};
    devices.resize(count);
    result = enumerate(instance, &count, devices.data());
    devices.resize(count);
  }
  return result == VK_SUCCESS ? devices : std::vector<VkPhysicalDevice>{};
}

}  // namespace

Result<VkPhysicalDevice> FindRenderDevice(VkInstance instance, const InstanceTable& next, const config::AdapterInfo& adapter) {
  if (next.EnumeratePhysicalDevices == nullptr || next.GetPhysicalDeviceProperties2 == nullptr ||
      next.GetPhysicalDeviceFeatures2 == nullptr) {
    return Fail(ErrorKind::kUnsupported, "The Vulkan loader lacks functions of Vulkan 1.1.");
  }
  const std::vector<VkPhysicalDevice> devices = DevicesBelow(instance, next.EnumeratePhysicalDevices);
  VkPhysicalDevice found = VK_NULL_HANDLE;
  for (VkPhysicalDevice device : devices) {
    const Match match = Compare(next, device, adapter);
    if (match == Match::kNone || (match == Match::kNumbers && found != VK_NULL_HANDLE)) continue;
    found = device;
    if (match == Match::kIdentity) break;
  }
  if (found == VK_NULL_HANDLE) {
    return Fail(ErrorKind::kNotFound,
                "Render adapter {} ({:04x}:{:04x}) is not among the {} devices of this program's Vulkan loader.", adapter.name,
                adapter.vendor_id, adapter.device_id, devices.size());
  }
  if (!HasTimelineSemaphores(next, found)) {
    return Fail(ErrorKind::kUnsupported, "Render adapter {} has no timeline semaphores.", adapter.name);
  }
  return found;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* devices) {
  const auto data = FindInstance(DispatchKey(instance));
  if (data->system == nullptr) return data->next.EnumeratePhysicalDevices(instance, count, devices);
  return Guarded([&] {
    const VkPhysicalDevice device = FollowRenderDevice(data);
    return Answer(std::span<const VkPhysicalDevice>(&device, 1), count, devices);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t* count,
                                                             VkPhysicalDeviceGroupProperties* groups) {
  const auto data = FindInstance(DispatchKey(instance));
  if (groups == nullptr) {
    *count = 1;
    return VK_SUCCESS;
  }
  if (*count == 0) return VK_INCOMPLETE;
  *count = 1;
  return Guarded([&] {
    groups[0].physicalDeviceCount = 1;
    groups[0].physicalDevices[0] = FollowRenderDevice(data);
    groups[0].subsetAllocation = VK_FALSE;
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                                                  VkExtensionProperties* properties) {
  const auto data = FindInstance(DispatchKey(device));
  if (layer != nullptr && std::strcmp(layer, kLayerName) == 0) return Answer(OwnDeviceExtensions(), count, properties);
  const auto next = data->next.EnumerateDeviceExtensionProperties;
  if (layer != nullptr || !data->render_devices.Has(device)) return next(device, layer, count, properties);
  return Guarded([&]() -> VkResult {
    const auto below = DriverDeviceExtensions(next, device);
    if (below.empty()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const auto visible = VisibleDeviceExtensions(below);
    return Answer(std::span<const VkExtensionProperties>(visible), count, properties);
  });
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  const auto data = FindInstance(DispatchKey(device));
  data->next.GetPhysicalDeviceFeatures2(device, features);
  if (data->render_devices.Has(device)) AnswerOwnFeatures(features->pNext);
}

}  // namespace tandem::layer
