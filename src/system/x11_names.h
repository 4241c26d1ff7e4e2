// Derives a server's name, or a connection of our own, from the handles that an application gives its Vulkan driver.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/output.h"

struct xcb_connection_t;

namespace tandem::system {

// The server's name in the form of $DISPLAY. `connection` is an xcb_connection_t*. Empty, which means $DISPLAY itself, if the
// server is not behind a local socket.
[[nodiscard]] std::string DisplayOfXcb(void* connection);
// `display` is a Display* of Xlib.
[[nodiscard]] std::string DisplayOfXlib(void* display);

// Returns once the server has handled the application's earlier requests, so that other connections know the window.
// kSurfaceLost when the connection is broken or the window does not exist.
[[nodiscard]] Result<outputs::OutputStatus> AskXcbWindow(void* connection, std::uint64_t window);

struct CloseXcb {
  void operator()(xcb_connection_t* connection) const;
};
using XcbConnection = std::unique_ptr<xcb_connection_t, CloseXcb>;

// Opens a connection of our own to an Xlib program's server, for a driver that accepts only xcb windows. Waits a moment for the
// window, which may still be on its way. kSurfaceLost when the server or the window does not exist.
[[nodiscard]] Result<XcbConnection> ConnectAsXcb(void* display, std::uint64_t window);

}  // namespace tandem::system
