// One VkInstance: what lies below it, which physical device renders, and the surfaces that are ours.
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
  // Null: the layer steps aside, everything is passed down.
  system::System* system = nullptr;
  VkPhysicalDevice render_device = VK_NULL_HANDLE;  // the only one that the application sees; null when system is
  std::uint32_t api_version = VK_API_VERSION_1_0;   // as the application asked
  bool swapchain_colorspace = false;                // VK_EXT_swapchain_colorspace was enabled
  Workarounds workarounds;
  HandleMap<VkSurfaceKHR, Surface> surfaces;
};

// By any instance or physical device handle; null for one that was not created through this layer.
[[nodiscard]] std::shared_ptr<Instance> FindInstance(void* dispatch_key);

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* create_info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance);
VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator);

}  // namespace tandem::layer
