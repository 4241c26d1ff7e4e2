// The physical device that the application sees, and the layer's changes to its properties.
#pragma once

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "config/adapter_info.h"
#include "layer/dispatch.h"

namespace tandem::layer {

// The physical device below that is `adapter`. Devices match by device and driver UUID with vendor and device number, otherwise
// by the numbers alone. kNotFound; kUnsupported when the device has no timeline semaphores.
[[nodiscard]] Result<VkPhysicalDevice> FindRenderDevice(VkInstance instance, const InstanceTable& next,
                                                        const config::AdapterInfo& adapter);

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* devices);
VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t* count,
                                                             VkPhysicalDeviceGroupProperties* groups);
VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                                                  VkExtensionProperties* properties);
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features);

}  // namespace tandem::layer
