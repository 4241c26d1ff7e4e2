// The functions of libxcb-present and libxcb-dri3, which are loaded with the first X11 window.
#pragma once

#include <xcb/dri3.h>
#include <xcb/present.h>

namespace tandem::outputs {

// Members bear the functions' names without the prefix.
struct XcbPresent {
  xcb_extension_t* id;
  decltype(&::xcb_present_query_version) query_version;
  decltype(&::xcb_present_query_version_reply) query_version_reply;
  decltype(&::xcb_present_select_input) select_input;
  decltype(&::xcb_present_notify_msc) notify_msc;
  decltype(&::xcb_present_pixmap) pixmap;
};

struct XcbDri3 {
  xcb_extension_t* id;
  decltype(&::xcb_dri3_query_version) query_version;
  decltype(&::xcb_dri3_query_version_reply) query_version_reply;
  decltype(&::xcb_dri3_pixmap_from_buffer_checked) pixmap_from_buffer_checked;
  decltype(&::xcb_dri3_pixmap_from_buffers_checked) pixmap_from_buffers_checked;
};

// Null when the library is not installed or lacks a function. The library stays loaded. Thread-safe.
[[nodiscard]] const XcbPresent* LoadXcbPresent();
[[nodiscard]] const XcbDri3* LoadXcbDri3();

}  // namespace tandem::outputs
