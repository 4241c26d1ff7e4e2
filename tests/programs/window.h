// A surface to present on: a plain X11 window, a Wayland surface, or VK_EXT_headless_surface.
#pragma once

#include <cstdint>
#include <vector>

#include <vulkan/vulkan.h>

struct wl_compositor;
struct wl_display;
struct wl_surface;
struct xdg_surface;
struct xdg_toplevel;
struct xdg_wm_base;
struct xcb_connection_t;

namespace tandem::test {

// kWayland has no role, so a real compositor never shows it; kWaylandFullscreen fills a screen.
enum class SurfaceKind { kHeadless, kXcb, kWayland, kWaylandFullscreen };

struct Window {
  SurfaceKind kind = SurfaceKind::kHeadless;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  xcb_connection_t* connection = nullptr;
  std::uint32_t id = 0;
  wl_display* display = nullptr;
  wl_compositor* compositor = nullptr;
  wl_surface* wayland_surface = nullptr;
  xdg_wm_base* shell = nullptr;  // kWaylandFullscreen alone, as are the next two
  xdg_surface* role = nullptr;
  xdg_toplevel* toplevel = nullptr;
};

[[nodiscard]] std::vector<const char*> SurfaceExtensions(SurfaceKind kind);
[[nodiscard]] Window CreateWindow(VkInstance instance, SurfaceKind kind, std::uint32_t width, std::uint32_t height);
void ResizeWindow(Window& window, std::uint32_t width, std::uint32_t height);  // X11 alone
void CloseWindow(Window& window);                                              // closes only the X11 window; the surface stays
void DestroyWindow(VkInstance instance, Window& window);

}  // namespace tandem::test
