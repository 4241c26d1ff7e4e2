// A Vulkan driver as the last element of a chain of layers. Its instances, devices, queues and command buffers begin with a
// pointer to a table, as they do below the Vulkan loader: layers tell instances and devices apart by that pointer.
#pragma once

#include <memory>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/icd/library.h"

namespace tandem::vulkan {

// The functions of one device below its layers.
struct DeviceTable {
  PFN_vkGetDeviceProcAddr get = nullptr;
  PFN_vkGetDeviceQueue get_queue = nullptr;
  PFN_vkGetDeviceQueue2 get_queue2 = nullptr;  // null below Vulkan 1.1
  PFN_vkAllocateCommandBuffers allocate = nullptr;
};

// The functions of one instance below its layers. Must outlive the instance and its devices. Devices are created by one thread
// at a time.
struct InstanceTable {
  PFN_vkGetInstanceProcAddr get = nullptr;
  GetPhysicalDeviceProcAddr get_physical = nullptr;
  PFN_vkCreateInstance create = nullptr;
  PFN_vkEnumeratePhysicalDevices enumerate = nullptr;
  PFN_vkCreateDevice create_device = nullptr;
  PFN_vkGetDeviceProcAddr get_device = nullptr;
  std::vector<std::unique_ptr<DeviceTable>> devices;
};

// Makes vkCreateInstance of the bottom create an instance of this table on this thread, while it lives.
class CreatingInstance {
 public:
  explicit CreatingInstance(InstanceTable& table);
  ~CreatingInstance();
  CreatingInstance(const CreatingInstance&) = delete;
  CreatingInstance& operator=(const CreatingInstance&) = delete;
};

// The next functions of the lowest layer.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL BottomGetInstanceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL BottomGetPhysicalDeviceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL BottomGetDeviceProcAddr(VkDevice device, const char* name);

// Callbacks for layers that make dispatchable objects by themselves.
VKAPI_ATTR VkResult VKAPI_CALL SetInstanceLoaderData(VkInstance instance, void* object);
VKAPI_ATTR VkResult VKAPI_CALL SetDeviceLoaderData(VkDevice device, void* object);

}  // namespace tandem::vulkan
