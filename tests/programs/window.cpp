#include "tests/programs/window.h"

#include <cstdlib>

#include <cstring>

#include <wayland-client.h>
#include <xcb/xcb.h>
// These must follow them.
#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>

#include <programs/xdg-shell-client.h>

#include "tests/programs/vulkan_program.h"

namespace tandem::test {
namespace {

VkSurfaceKHR CreateHeadlessSurface(VkInstance instance) {
  const auto create =
      reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT"));
  if (create == nullptr) GiveUp("vkCreateHeadlessSurfaceEXT is missing.");
  VkHeadlessSurfaceCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  Check(create(instance, &info, nullptr, &surface), "vkCreateHeadlessSurfaceEXT");
  return surface;
}

void MapX11Window(Window& window, std::uint32_t width, std::uint32_t height) {
  window.connection = xcb_connect(nullptr, nullptr);
  if (xcb_connection_has_error(window.connection) != 0) GiveUp("There is no X server.");
  xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(window.connection)).data;
  window.id = xcb_generate_id(window.connection);
  xcb_create_window(window.connection, XCB_COPY_FROM_PARENT, window.id, screen->root, 0, 0, static_cast<std::uint16_t>(width),
                    static_cast<std::uint16_t>(height), 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
  xcb_map_window(window.connection, window.id);
  std::free(xcb_get_input_focus_reply(window.connection, xcb_get_input_focus(window.connection), nullptr));
}

void MakeWaylandSurface(Window& window) {
  window.display = wl_display_connect(nullptr);
  if (window.display == nullptr) GiveUp("There is no Wayland compositor.");
  static constexpr wl_registry_listener kListener{
      [](void* data, wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t) {
        auto* const found = static_cast<Window*>(data);
        if (std::strcmp(interface, wl_compositor_interface.name) == 0) {
          found->compositor = static_cast<wl_compositor*>(wl_registry_bind(registry, name, &wl_compositor_interface, 4));
        } else if (std::strcmp(interface, xdg_wm_base_interface.name) == 0) {
          found->shell = static_cast<xdg_wm_base*>(wl_registry_bind(registry, name, &xdg_wm_base_interface, 1));
        }
      },
      [](void*, wl_registry*, std::uint32_t) {},
  };
  wl_registry* registry = wl_display_get_registry(window.display);
  wl_registry_add_listener(registry, &kListener, &window);
  wl_display_roundtrip(window.display);
  wl_registry_destroy(registry);
  if (window.compositor == nullptr) GiveUp("The Wayland compositor makes no surfaces.");
  window.wayland_surface = wl_compositor_create_surface(window.compositor);
}

// Asks for a whole screen and waits for the compositor's answer, which a surface needs before its first picture.
void FillScreen(Window& window) {
  if (window.shell == nullptr) GiveUp("The Wayland compositor has no windows.");
  static bool configured;
  static constexpr xdg_surface_listener kListener{[](void*, xdg_surface* role, std::uint32_t serial) {
    xdg_surface_ack_configure(role, serial);
    configured = true;
  }};
  configured = false;
  window.role = xdg_wm_base_get_xdg_surface(window.shell, window.wayland_surface);
  xdg_surface_add_listener(window.role, &kListener, nullptr);
  window.toplevel = xdg_surface_get_toplevel(window.role);
  xdg_toplevel_set_fullscreen(window.toplevel, nullptr);
  wl_surface_commit(window.wayland_surface);
  while (!configured) {
    if (wl_display_dispatch(window.display) < 0) GiveUp("The Wayland compositor is gone.");
  }
}

VkSurfaceKHR CreateWaylandSurface(VkInstance instance, const Window& window) {
  VkWaylandSurfaceCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR;
  info.display = window.display;
  info.surface = window.wayland_surface;
  const auto create =
      reinterpret_cast<PFN_vkCreateWaylandSurfaceKHR>(vkGetInstanceProcAddr(instance, "vkCreateWaylandSurfaceKHR"));
  if (create == nullptr) GiveUp("vkCreateWaylandSurfaceKHR is missing.");
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  Check(create(instance, &info, nullptr, &surface), "vkCreateWaylandSurfaceKHR");
  return surface;
}

}  // namespace

std::vector<const char*> SurfaceExtensions(SurfaceKind kind) {
  if (kind == SurfaceKind::kWayland || kind == SurfaceKind::kWaylandFullscreen) return {VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME};
  if (kind == SurfaceKind::kXcb) return {VK_KHR_XCB_SURFACE_EXTENSION_NAME};
  return {VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
}

Window CreateWindow(VkInstance instance, SurfaceKind kind, std::uint32_t width, std::uint32_t height) {
  Window window;
  window.kind = kind;
  if (kind == SurfaceKind::kHeadless) {
    window.surface = CreateHeadlessSurface(instance);
    return window;
  }
  if (kind == SurfaceKind::kWayland || kind == SurfaceKind::kWaylandFullscreen) {
    MakeWaylandSurface(window);
    if (kind == SurfaceKind::kWaylandFullscreen) FillScreen(window);
    window.surface = CreateWaylandSurface(instance, window);
    return window;
  }
  MapX11Window(window, width, height);
  VkXcbSurfaceCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR;
  info.connection = window.connection;
  info.window = window.id;
  const auto create = reinterpret_cast<PFN_vkCreateXcbSurfaceKHR>(vkGetInstanceProcAddr(instance, "vkCreateXcbSurfaceKHR"));
  if (create == nullptr) GiveUp("vkCreateXcbSurfaceKHR is missing.");
  Check(create(instance, &info, nullptr, &window.surface), "vkCreateXcbSurfaceKHR");
  return window;
}

void ResizeWindow(Window& window, std::uint32_t width, std::uint32_t height) {
  if (window.kind != SurfaceKind::kXcb) return;
  const std::uint32_t values[] = {width, height};
  xcb_configure_window(window.connection, window.id, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
  // The server has finished the request when this round trip ends.
  std::free(xcb_get_input_focus_reply(window.connection, xcb_get_input_focus(window.connection), nullptr));
}

void CloseWindow(Window& window) {
  if (window.id == 0) return;
  xcb_destroy_window(window.connection, window.id);
  xcb_flush(window.connection);
  window.id = 0;
}

void DestroyWindow(VkInstance instance, Window& window) {
  vkDestroySurfaceKHR(instance, window.surface, nullptr);
  CloseWindow(window);
  if (window.connection != nullptr) xcb_disconnect(window.connection);
  if (window.display != nullptr) {
    if (window.role != nullptr) {
      xdg_toplevel_destroy(window.toplevel);
      xdg_surface_destroy(window.role);
    }
    if (window.shell != nullptr) xdg_wm_base_destroy(window.shell);
    wl_surface_destroy(window.wayland_surface);
    wl_compositor_destroy(window.compositor);
    wl_display_disconnect(window.display);
  }
  window = Window{};
}

}  // namespace tandem::test
