#include "system/x11_names.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <X11/Xlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <xcb/xcb.h>

#include "base/sleep.h"
#include "outputs/x11/connection.h"

namespace tandem::system {
namespace {

constexpr std::string_view kSocketPrefix = "/tmp/.X11-unix/X";
constexpr int kXlibAttempts = 20;
constexpr std::int64_t kXlibPauseNs = 10'000'000;

}  // namespace

std::string DisplayOfXcb(void* connection) {
  sockaddr_un address{};
  socklen_t size = sizeof(address);
  const int fd = xcb_get_file_descriptor(static_cast<xcb_connection_t*>(connection));
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || address.sun_family != AF_UNIX) return {};
  std::string_view path(address.sun_path, size - offsetof(sockaddr_un, sun_path));
  if (!path.empty() && path.front() == '\0') path.remove_prefix(1);  // the abstract name space
  path = path.substr(0, path.find('\0'));
  if (!path.starts_with(kSocketPrefix)) return {};
  return ":" + std::string(path.substr(kSocketPrefix.size()));
}

std::string DisplayOfXlib(void* display) { return DisplayString(static_cast<Display*>(display)); }

void CloseXcb::operator()(xcb_connection_t* connection) const { xcb_disconnect(connection); }

Result<XcbConnection> ConnectAsXcb(void* display, std::uint64_t window) {
  const std::string name = DisplayOfXlib(display);
  XcbConnection connection(outputs::ConnectToX11(name));
  if (const int code = xcb_connection_has_error(connection.get()); code != 0) {
    return Fail(ErrorKind::kSurfaceLost, "X server {} cannot be reached (xcb error {}).", name, code);
  }
  auto known = AskXcbWindow(connection.get(), window);
  for (int attempt = 1; !known.ok() && attempt < kXlibAttempts; ++attempt) {
    SleepFor(MonotonicClock(), kXlibPauseNs);
    known = AskXcbWindow(connection.get(), window);
  }
  if (!known.ok()) return std::move(known).error();
  return connection;
}

Result<outputs::OutputStatus> AskXcbWindow(void* connection, std::uint64_t window) {
  auto* const xcb = static_cast<xcb_connection_t*>(connection);
  const auto cookie = xcb_get_geometry(xcb, static_cast<xcb_drawable_t>(window));
  const std::unique_ptr<xcb_get_geometry_reply_t, decltype(&std::free)> reply(xcb_get_geometry_reply(xcb, cookie, nullptr),
                                                                              &std::free);
  if (!reply) return Fail(ErrorKind::kSurfaceLost, "Window {:#x} is not known to its X server.", window);
  return outputs::OutputStatus{outputs::OutputState::kOk, reply->width, reply->height};
}

}  // namespace tandem::system
