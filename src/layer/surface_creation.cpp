// Keeps the window systems' own structures in one file.
#include "layer/surface.h"
#include "system/system.h"

#include <cstring>

#include <xcb/xcb.h>

#include "layer/guard.h"
#include "layer/handle_memory.h"
#include "layer/instance.h"

// Types for vulkan_xlib.h and vulkan_wayland.h, without the macros of Xlib.h.
using Display = struct _XDisplay;
using Window = unsigned long;
using VisualID = unsigned long;
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>

namespace tandem::layer {
namespace {

using Kind = system::SurfaceTarget::Kind;

VkResult Create(VkInstance instance, const system::SurfaceTarget& target, const VkAllocationCallbacks* allocator,
                VkSurfaceKHR* surface) {
  return Guarded([&]() -> VkResult {
    const auto data = FindInstance(DispatchKey(instance));
    HandleMemory memory(allocator);
    if (memory.refused()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    auto created = std::make_shared<Surface>(*data->system, target, memory.address());
    *surface = created->handle();
    data->surfaces.Insert(*surface, std::move(created));
    memory.Keep();
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL CreateXcbSurfaceKHR(VkInstance instance, const VkXcbSurfaceCreateInfoKHR* create_info,
                                                   const VkAllocationCallbacks* allocator, VkSurfaceKHR* surface) {
  return Create(instance, {Kind::kXcb, create_info->connection, create_info->window, nullptr}, allocator, surface);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateXlibSurfaceKHR(VkInstance instance, const VkXlibSurfaceCreateInfoKHR* create_info,
                                                    const VkAllocationCallbacks* allocator, VkSurfaceKHR* surface) {
  return Create(instance, {Kind::kXlib, create_info->dpy, create_info->window, nullptr}, allocator, surface);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateWaylandSurfaceKHR(VkInstance instance, const VkWaylandSurfaceCreateInfoKHR* create_info,
                                                       const VkAllocationCallbacks* allocator, VkSurfaceKHR* surface) {
  return Create(instance, {Kind::kWayland, create_info->display, 0, create_info->surface}, allocator, surface);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateHeadlessSurfaceEXT(VkInstance instance,
                                                        const VkHeadlessSurfaceCreateInfoEXT* /*create_info*/,
                                                        const VkAllocationCallbacks* allocator, VkSurfaceKHR* surface) {
  return Create(instance, {Kind::kHeadless, nullptr, 0, nullptr}, allocator, surface);
}

// Every queue family works: its queue only waits for the application's rendering.
VkBool32 CanShow(VkPhysicalDevice device, Kind kind) {
  return FindInstance(DispatchKey(device))->system->CanShowOn(kind) ? VK_TRUE : VK_FALSE;
}

VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceXcbPresentationSupportKHR(VkPhysicalDevice device, uint32_t /*family*/,
                                                                          xcb_connection_t* /*connection*/,
                                                                          xcb_visualid_t /*visual*/) {
  return CanShow(device, Kind::kXcb);
}

VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceXlibPresentationSupportKHR(VkPhysicalDevice device, uint32_t /*family*/,
                                                                           Display* /*display*/, VisualID /*visual*/) {
  return CanShow(device, Kind::kXlib);
}

VKAPI_ATTR VkBool32 VKAPI_CALL GetPhysicalDeviceWaylandPresentationSupportKHR(VkPhysicalDevice device, uint32_t /*family*/,
                                                                              wl_display* /*display*/) {
  return CanShow(device, Kind::kWayland);
}

}  // namespace

PFN_vkVoidFunction SurfaceCreationFunction(const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(CreateXcbSurfaceKHR);
  TANDEM_NAMED(CreateXlibSurfaceKHR);
  TANDEM_NAMED(CreateWaylandSurfaceKHR);
  TANDEM_NAMED(CreateHeadlessSurfaceEXT);
  TANDEM_NAMED(GetPhysicalDeviceXcbPresentationSupportKHR);
  TANDEM_NAMED(GetPhysicalDeviceXlibPresentationSupportKHR);
  TANDEM_NAMED(GetPhysicalDeviceWaylandPresentationSupportKHR);
#undef TANDEM_NAMED
  return nullptr;
}

}  // namespace tandem::layer
