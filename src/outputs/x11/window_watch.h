// Somebody else's X11 window: its extent, and whether it is still there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "outputs/output.h"
#include "outputs/x11/connection.h"

namespace tandem::outputs {

struct X11Target {
  std::string display;       // as in $DISPLAY; empty for $DISPLAY itself
  std::uint32_t window = 0;  // of any client; it is read and drawn to, never destroyed
};

// Thread-safe, but for what says otherwise. All of its connection's events are read here.
class WindowWatch {
 public:
  // By a connection of its own: the application's events and errors are its own business. kSurfaceLost when there is no such
  // server or window.
  static Result<std::unique_ptr<WindowWatch>> Open(const X11Target& target);

  [[nodiscard]] X11Connection& connection() { return *connection_; }
  [[nodiscard]] xcb_window_t window() const { return window_; }
  [[nodiscard]] std::uint8_t depth() const { return depth_; }  // bits a pixel
  [[nodiscard]] bool lost() const { return lost_; }
  [[nodiscard]] OutputStatus Status();  // never blocks
  // The status after a round trip to the server: it has any client's changes of the window before.
  [[nodiscard]] OutputStatus Ask();

  // kSurfaceLost with a sentence, from now on.
  Error Lost(const char* what);

  // Sends what was requested, and waits until the server has read the pixels of the one image among it (MIT-SHM, with an event).
  // kSurfaceLost, also when the server does not answer for ten seconds. One thread at a time.
  Result<void> FinishImage();

 private:
  WindowWatch(std::unique_ptr<X11Connection> connection, xcb_window_t window)
      : connection_(std::move(connection)), window_(window) {}
  Result<void> Start();
  void HandleEvent(const xcb_generic_event_t& event);

  const std::unique_ptr<X11Connection> connection_;
  const xcb_window_t window_;
  std::uint8_t depth_ = 0;
  // Held by whoever reads events: FinishImage while it waits, Status for a moment.
  std::mutex events_;
  std::uint64_t images_read_ = 0;  // under events_
  std::uint64_t images_sent_ = 0;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> extent_{0};  // width in the upper, height in the lower half
};

}  // namespace tandem::outputs
