// The X11 window of an application's surface, asked without anything that shows on it.
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
  // Asks an xcb program's connection, and an Xlib program's server by a connection of our own: drivers exist that fault on Xlib
  // surfaces. Knows no window for surfaces of other kinds. kSurfaceLost when there is no such server or window.
  [[nodiscard]] static Result<ApplicationWindow> Find(const SurfaceTarget& target);

  [[nodiscard]] void* connection() const { return connection_; }  // xcb_connection_t*; null for surfaces of other kinds
  // 0 x 0 where there is no X11 window.
  [[nodiscard]] outputs::OutputStatus Ask() const;

 private:
  XcbConnection own_;
  void* connection_ = nullptr;
  std::uint64_t window_ = 0;
};

}  // namespace tandem::system
