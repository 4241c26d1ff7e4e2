// Watches a foreign X11 window: its extent, its existence and the server's events for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "outputs/output.h"
#include "outputs/x11/connection.h"

namespace tandem::outputs {

// The way of pixels to the server; each falls back to those below it.
enum class X11Way {
  kBest,     // kDmaBufs, then kImages: a server without DRI3 draws with the processor, which gains nothing from kPixmaps
  kDmaBufs,  // DRI3 pixmaps over dma-bufs of the pages, shown by Present
  kPixmaps,  // MIT-SHM pixmaps over the pages, shown by Present
  kImages,   // MIT-SHM images, or images within the connection
};

struct X11Target {
  std::string display;       // in the form of $DISPLAY; empty: $DISPLAY itself
  std::uint32_t window = 0;  // any client's window; it is read and drawn to, never destroyed
  X11Way way = X11Way::kBest;
};

// Thread-safe unless stated otherwise. Reads all events of its connection, on a thread of its own.
class WindowWatch {
 public:
  struct Handlers {
    // With mutex() held.
    std::function<void(const xcb_present_complete_notify_event_t&)> completed;
    std::function<void(const xcb_present_idle_notify_event_t&)> idle;
    // By the watch's thread, without the lock, after events were handled.
    std::function<void()> after_events;
  };

  // Uses a connection of its own, so that the application's events and errors stay with the application. kSurfaceLost when the
  // server or window does not exist, kLimit when the system has no more threads or descriptors.
  static Result<std::unique_ptr<WindowWatch>> Open(const X11Target& target, Handlers handlers = {});
  ~WindowWatch() { Stop(); }
  WindowWatch(const WindowWatch&) = delete;
  WindowWatch& operator=(const WindowWatch&) = delete;

  // No handler runs afterwards. Not on the watch's thread.
  void Stop();

  [[nodiscard]] X11Connection& connection() { return *connection_; }
  [[nodiscard]] xcb_window_t window() const { return window_; }
  [[nodiscard]] std::uint8_t depth() const { return depth_; }  // bits a pixel
  [[nodiscard]] bool lost() const { return lost_; }
  [[nodiscard]] Mutex& mutex() TANDEM_RETURN_CAPABILITY(mutex_) { return mutex_; }
  [[nodiscard]] OutputStatus Status() const;  // never blocks
  // The status after a round trip to the server; it includes earlier changes by any client.
  [[nodiscard]] OutputStatus Ask();

  // Marks the window as lost and returns kSurfaceLost with a sentence.
  Error Lost(const char* what);

  // Sends all requests.
  void Flush();
  // Waits until `condition`, which needs the lock, is true. False when `timeout_ns` pass first or the window is lost.
  bool WaitFor(MutexLock& lock, std::int64_t timeout_ns, const std::function<bool()>& condition) TANDEM_REQUIRES(mutex_);
  // Sends all requests and waits until the server has read the pixels of their one image (MIT-SHM, with an event).
  // kSurfaceLost, also when the server does not answer for ten seconds. One thread at a time.
  Result<void> FinishImage();
  // Whoever has read a reply calls this: events that came before the reply are no longer in the socket.
  void HandleEvents();

 private:
  WindowWatch(std::unique_ptr<X11Connection> connection, xcb_window_t window, Handlers handlers)
      : connection_(std::move(connection)), window_(window), handlers_(std::move(handlers)) {}
  Result<void> Start();
  void Run();
  // True if there were any.
  bool HandleQueued();
  void HandleEvent(const xcb_generic_event_t& event) TANDEM_REQUIRES(mutex_);
  void HandlePresentEvent(const xcb_generic_event_t& event) TANDEM_REQUIRES(mutex_);

  const std::unique_ptr<X11Connection> connection_;
  const xcb_window_t window_;
  const Handlers handlers_;
  std::uint8_t depth_ = 0;
  UniqueFd wake_;
  Mutex mutex_;
  Condition changed_;
  std::uint64_t images_read_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint64_t images_sent_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> stop_{false};
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> extent_{0};  // width in the upper, height in the lower half
  Thread thread_;
};

}  // namespace tandem::outputs
