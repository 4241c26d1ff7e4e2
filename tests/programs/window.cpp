#include "tests/programs/window.h"

#include <cstdlib>

#include <xcb/xcb.h>
// Must follow xcb.h.
#include <vulkan/vulkan_xcb.h>

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

}  // namespace

std::vector<const char*> SurfaceExtensions(SurfaceKind kind) {
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
  if (window.kind == SurfaceKind::kHeadless) return;
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
  window = Window{};
}

}  // namespace tandem::test
