// The functions of libwayland-client, which is loaded with the first Wayland window and belongs to no program before that.
#pragma once

#include <wayland-client-core.h>

#include "base/result.h"

namespace tandem::outputs {

// Members bear the functions' names without "wl_". The library stays loaded.
struct WaylandClient {
  decltype(&::wl_proxy_marshal_flags) proxy_marshal_flags;
  decltype(&::wl_proxy_add_listener) proxy_add_listener;
  decltype(&::wl_proxy_destroy) proxy_destroy;
  decltype(&::wl_proxy_get_version) proxy_get_version;
  decltype(&::wl_proxy_set_user_data) proxy_set_user_data;
  decltype(&::wl_proxy_get_user_data) proxy_get_user_data;
  decltype(&::wl_proxy_set_queue) proxy_set_queue;
  decltype(&::wl_proxy_create_wrapper) proxy_create_wrapper;
  decltype(&::wl_proxy_wrapper_destroy) proxy_wrapper_destroy;
  decltype(&::wl_display_connect) display_connect;
  decltype(&::wl_display_connect_to_fd) display_connect_to_fd;
  decltype(&::wl_display_disconnect) display_disconnect;
  decltype(&::wl_display_create_queue) display_create_queue;
  decltype(&::wl_event_queue_destroy) event_queue_destroy;
  decltype(&::wl_display_prepare_read_queue) display_prepare_read_queue;
  decltype(&::wl_display_cancel_read) display_cancel_read;
  decltype(&::wl_display_read_events) display_read_events;
  decltype(&::wl_display_dispatch_queue_pending) display_dispatch_queue_pending;
  decltype(&::wl_display_flush) display_flush;
  decltype(&::wl_display_get_fd) display_get_fd;
  decltype(&::wl_display_get_error) display_get_error;
};

// Loads the library at the first call. kUnsupported when it is not installed or older than 1.20. Thread-safe.
[[nodiscard]] Result<void> LoadWaylandClient();

// LoadWaylandClient must have succeeded before.
[[nodiscard]] const WaylandClient& Wayland();

}  // namespace tandem::outputs

// wayland-scanner's headers call these by name.
#define wl_proxy_marshal_flags ::tandem::outputs::Wayland().proxy_marshal_flags
#define wl_proxy_add_listener ::tandem::outputs::Wayland().proxy_add_listener
#define wl_proxy_destroy ::tandem::outputs::Wayland().proxy_destroy
#define wl_proxy_get_version ::tandem::outputs::Wayland().proxy_get_version
#define wl_proxy_set_user_data ::tandem::outputs::Wayland().proxy_set_user_data
#define wl_proxy_get_user_data ::tandem::outputs::Wayland().proxy_get_user_data

#include <protocols/built.h>
#include <protocols/linux-dmabuf-client.h>
#include <protocols/presentation-time-client.h>
#include <protocols/tearing-control-client.h>
#include <protocols/wayland-client.h>
#ifdef TANDEM_WAYLAND_DRM_LEASE
#include <protocols/drm-lease-client.h>
#endif
#ifdef TANDEM_WAYLAND_FIFO
#include <protocols/fifo-client.h>
#endif

namespace tandem::outputs {

using WpFeedback = struct wp_presentation_feedback;  // a function of the protocol has the same name

}  // namespace tandem::outputs
