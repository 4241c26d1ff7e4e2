// Watches a foreign X11 window: its extent and its existence.
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
  std::string display;       // in the form of $DISPLAY; empty: $DISPLAY itself
  std::uint32_t window = 0;  // any client's window; it is read and drawn to, never destroyed
};

// Thread-safe unless stated otherwise. Reads all events of its connection.
class WindowWatch {
 public:
  // Uses a connection of its own, so that the application's events and errors stay with the application. kSurfaceLost when the
  // server or window does not exist.
  static Result<std::unique_ptr<WindowWatch>> Open(const X11Target& target);

  [[nodiscard]] X11Connection& connection() { return *connection_; }
  [[nodiscard]] xcb_window_t window() const { return window_; }
  [[nodiscard]] std::uint8_t depth() const { return depth_; }  // bits a pixel
  [[nodiscard]] bool lost() const { return lost_; }
  [[nodiscard]] OutputStatus Status();  // never blocks
  // The status after a round trip to the server; it includes earlier changes by any client.
  [[nodiscard]] OutputStatus Ask();

  // Marks the window as lost and returns kSurfaceLost with a sentence.
  Error Lost(const char* what);

  // Sends all requests and waits until the server has read the pixels of their one image (MIT-SHM, with an event).
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
  // Held by the reader of events: by FinishImage while it waits, by Status briefly.
  std::mutex events_;
  std::uint64_t images_read_ = 0;  // guarded by events_
  std::uint64_t images_sent_ = 0;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> extent_{0};  // width in the upper, height in the lower half
};

}  // namespace tandem::outputs
