// From what an application gave its Vulkan driver to what a connection of our own needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/output.h"

struct xcb_connection_t;

namespace tandem::system {

// As in $DISPLAY. `connection` is an xcb_connection_t*; empty, for $DISPLAY itself, when the server is not behind a local socket.
[[nodiscard]] std::string DisplayOfXcb(void* connection);
// `display` is a Display* of Xlib.
[[nodiscard]] std::string DisplayOfXlib(void* display);

// Once the server has handled what the application sent so far, so that other connections know the window. kSurfaceLost when the
// connection is broken or there is no such window.
[[nodiscard]] Result<outputs::OutputStatus> AskXcbWindow(void* connection, std::uint64_t window);

struct CloseXcb {
  void operator()(xcb_connection_t* connection) const;
};
using XcbConnection = std::unique_ptr<xcb_connection_t, CloseXcb>;

// A connection of our own to the server of an Xlib program, for a driver that takes xcb windows only; waits a moment for the
// window, which may still be on its way. kSurfaceLost when there is no such server or window.
[[nodiscard]] Result<XcbConnection> ConnectAsXcb(void* display, std::uint64_t window);

}  // namespace tandem::system
