// The X11 window of an application's surface; queries about it show nothing on it.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "outputs/output.h"
#include "system/system.h"
#include "system/x11_names.h"

namespace tandem::system {

// Thread-safe.
class ApplicationWindow {
 public:
  // Asks an xcb program's connection, or an Xlib program's server over a connection of our own, because some drivers fault on
  // Xlib surfaces. Surfaces of other kinds have no X11 window. kSurfaceLost when the server or the window does not exist.
  [[nodiscard]] static Result<ApplicationWindow> Find(const SurfaceTarget& target);

  [[nodiscard]] void* connection() const { return connection_; }  // xcb_connection_t*; null for surfaces of other kinds
  // 0 x 0 when there is no X11 window.
  [[nodiscard]] outputs::OutputStatus Ask() const;

 private:
  XcbConnection own_;
  void* connection_ = nullptr;
  std::uint64_t window_ = 0;
};

}  // namespace tandem::system
