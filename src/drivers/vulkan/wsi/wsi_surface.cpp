#include "drivers/vulkan/wsi/wsi_surface.h"

#include <wayland-client.h>
#include <xcb/xcb.h>
// These must follow their window systems' headers.
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>

#include "drivers/vulkan/icd/dispatch.h"

namespace tandem::vulkan {
namespace {

template <class Create, class Info>
Result<VkSurfaceKHR> CreateWith(VkInstance instance, PFN_vkGetInstanceProcAddr get_instance_proc_addr, const char* name,
                                const Info& info) {
  const auto create = reinterpret_cast<Create>(get_instance_proc_addr(instance, name));
  if (create == nullptr) return Fail(ErrorKind::kUnsupported, "The display adapter's Vulkan driver has no function {}.", name);
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  const VkResult result = create(instance, &info, nullptr, &surface);
  if (result == VK_SUCCESS) return surface;
  return Fail(ToErrorKind(result, ErrorKind::kSurfaceLost), "{} answered {}.", name, ToString(result));
}

}  // namespace

Result<VkSurfaceKHR> CreateWsiSurface(VkInstance instance, PFN_vkGetInstanceProcAddr get_instance_proc_addr,
                                      const WsiTarget& target) {
  switch (target.kind) {
    case WsiTarget::Kind::kXcb: {
      VkXcbSurfaceCreateInfoKHR info{};
      info.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR;
      info.connection = static_cast<xcb_connection_t*>(target.connection);
      info.window = static_cast<xcb_window_t>(target.window);
      return CreateWith<PFN_vkCreateXcbSurfaceKHR>(instance, get_instance_proc_addr, "vkCreateXcbSurfaceKHR", info);
    }
    case WsiTarget::Kind::kWayland: {
      VkWaylandSurfaceCreateInfoKHR info{};
      info.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR;
      info.display = static_cast<wl_display*>(target.connection);
      info.surface = static_cast<wl_surface*>(target.wayland_surface);
      return CreateWith<PFN_vkCreateWaylandSurfaceKHR>(instance, get_instance_proc_addr, "vkCreateWaylandSurfaceKHR", info);
    }
    case WsiTarget::Kind::kHeadless: {
      VkHeadlessSurfaceCreateInfoEXT info{};
      info.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
      return CreateWith<PFN_vkCreateHeadlessSurfaceEXT>(instance, get_instance_proc_addr, "vkCreateHeadlessSurfaceEXT", info);
    }
  }
  return Fail(ErrorKind::kInvalidArgument, "Window-system target {} does not exist.", static_cast<int>(target.kind));
}

}  // namespace tandem::vulkan
