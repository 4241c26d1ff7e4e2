// One VkInstance: the functions below it, the physical device that renders, and our surfaces.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include "base/thread.h"
#include "layer/dispatch.h"
#include "layer/render_devices.h"
#include "layer/surface.h"
#include "layer/workarounds.h"
#include "system/system.h"

namespace tandem::layer {

struct Instance;

// The functions that create a device below this code and answer for it.
struct DeviceBelow {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  // null: nothing is below
  PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
  PFN_vkSetDeviceLoaderData set_loader_data = nullptr;  // null in the driver form, where the loader sees no such object
};

// The element below an instance: the loader's next layer, or a driver's library.
struct InstanceBelow {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  DeviceBelow (*device_below)(const Instance& instance, const VkDeviceCreateInfo& create_info) = nullptr;
};

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  InstanceTable next;
  decltype(InstanceBelow::device_below) device_below = nullptr;
  // Null: the layer steps aside. Then `next` has the first and the last function only, the record stays until its key is used
  // again, and the application gets the next element's functions.
  system::System* system = nullptr;
  RenderDevices render_devices;                    // the current one alone is listed; empty when system is null
  Mutex following;                                 // held by the one writer of render_devices
  std::uint32_t api_version = VK_API_VERSION_1_0;  // the application's request
  bool has_callbacks = false;                      // the application gave it callbacks for host memory
  bool swapchain_colorspace = false;               // VK_EXT_swapchain_colorspace was enabled
  Workarounds workarounds;
  HandleMap<VkSurfaceKHR, Surface> surfaces;
};

// Finds an instance by the key of its handle or a physical device's. Null if it was not created here.
[[nodiscard]] std::shared_ptr<Instance> FindInstance(void* dispatch_key);

// The physical device for the program's new devices: another one once the adapter of the former is lost for good. Calls drivers
// after a loss.
[[nodiscard]] VkPhysicalDevice FollowRenderDevice(const std::shared_ptr<Instance>& instance);

// Finds a surface of ours, also one that another instance created: a driver whose surfaces are addresses answers for these, and
// programs count on it. Null if the layer did not create it.
[[nodiscard]] std::shared_ptr<Surface> FindSurface(const Instance& instance, VkSurfaceKHR surface);

// Creates an instance below with `passed`, and our record of it with `asked`, which is the application's.
[[nodiscard]] VkResult CreateInstanceOver(const InstanceBelow& below, const VkInstanceCreateInfo& asked,
                                          const VkInstanceCreateInfo& passed, const VkAllocationCallbacks* allocator,
                                          VkInstance* instance);
VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator);

}  // namespace tandem::layer
