// One VkInstance: the functions below it, the physical device that renders, and our surfaces.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "layer/dispatch.h"
#include "layer/surface.h"
#include "layer/workarounds.h"
#include "system/system.h"

namespace tandem::layer {

struct Instance {
  VkInstance handle = VK_NULL_HANDLE;
  InstanceTable next;
  // Null: the layer steps aside and passes every call down.
  system::System* system = nullptr;
  VkPhysicalDevice render_device = VK_NULL_HANDLE;  // the only one visible to the application; null when system is null
  std::uint32_t api_version = VK_API_VERSION_1_0;   // the application's request
  bool swapchain_colorspace = false;                // VK_EXT_swapchain_colorspace was enabled
  Workarounds workarounds;
  HandleMap<VkSurfaceKHR, Surface> surfaces;
};

// Finds an instance by its handle or a physical device's. Null if this layer did not create it.
[[nodiscard]] std::shared_ptr<Instance> FindInstance(void* dispatch_key);

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* create_info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance);
VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator);

}  // namespace tandem::layer
