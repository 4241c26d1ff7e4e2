// Events of a program's Wayland connection for objects of ours, read by a thread of ours.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "outputs/wayland/client.h"

namespace tandem::outputs {

// A queue of its own, as a driver's window system code has one: neither side sees the other's events. The thread reads only while
// an event is expected. A program that closes the connection too early loses its window and nothing else: the connection is not
// touched after its socket has gone.
//
// Some programs poll the connection without wl_display_prepare_read, es2gears among them. Such a program misses an event that
// the thread reads. So when the thread has read and nothing follows, it asks the compositor for an event. A program that this
// event wakes may read first from then on; one that leaves several reads to the thread is not waited for any more.
//
// Locks: handlers of events run on the thread, with mutex() held. Whoever makes an object holds it until the object has its
// listener, so that no event is missed.
class WaylandEvents {
 public:
  // `after_events` is called by the thread without the lock, after events were handled and once when the connection is lost.
  // kLimit when the system has no more threads or descriptors, kSurfaceLost when the connection is broken.
  static Result<std::unique_ptr<WaylandEvents>> Start(wl_display* display, std::function<void()> after_events);
  // Objects on the queue must be destroyed between Stop() and this.
  ~WaylandEvents();
  WaylandEvents(const WaylandEvents&) = delete;
  WaylandEvents& operator=(const WaylandEvents&) = delete;

  // No handler runs afterwards. Not on the thread itself.
  void Stop();

  [[nodiscard]] wl_display* display() const { return display_; }
  [[nodiscard]] Mutex& mutex() TANDEM_RETURN_CAPABILITY(mutex_) { return mutex_; }
  [[nodiscard]] bool lost() const { return lost_; }
  // False after the program closed the connection; then its objects are gone, too, and are not destroyed again.
  [[nodiscard]] bool connected() const;
  // kSurfaceLost when requests cannot be made any more. The lock was perhaps waited for: whoever makes requests asks with it
  // held, and makes them at once.
  Result<void> Usable() const TANDEM_REQUIRES(mutex_);

  // A stand-in for `proxy`, a program's object: what is made through it belongs to the queue. Null when memory is short.
  template <class Proxy>
  [[nodiscard]] Proxy* StandIn(Proxy* proxy) const {
    auto* made = static_cast<Proxy*>(Wayland().proxy_create_wrapper(proxy));
    if (made != nullptr) Wayland().proxy_set_queue(reinterpret_cast<wl_proxy*>(made), queue_);
    return made;
  }
  static void ReleaseStandIn(void* stand_in) {
    if (stand_in != nullptr) Wayland().proxy_wrapper_destroy(stand_in);
  }

  // Events are read while more of them are expected than have arrived.
  void Expect() TANDEM_REQUIRES(mutex_);
  void Arrived() TANDEM_REQUIRES(mutex_) { --expected_; }

  // Waits until `condition`, which needs the lock, is true, and reads events meanwhile. False when `timeout_ns` pass first or the
  // connection is lost.
  bool WaitFor(MutexLock& lock, std::int64_t timeout_ns, const std::function<bool()>& condition) TANDEM_REQUIRES(mutex_);
  // Sends what was requested. kSurfaceLost when the connection is broken or takes nothing for ten seconds.
  Result<void> Flush();
  // Waits until the compositor has handled every request before this one. kSurfaceLost, also after ten seconds without an answer.
  Result<void> RoundTrip();

 private:
  static constexpr int kTurns = 4;     // reads that the thread does until a program is not waited for
  static constexpr int kQuietMs = 50;  // longer than most pauses between frames

  WaylandEvents(wl_display* display, std::function<void()> after_events)
      : display_(display), after_events_(std::move(after_events)) {}
  Result<void> Open();
  void Run();
  // Handles what is on the queue; false when the connection is broken.
  [[nodiscard]] bool Dispatch();
  // Dispatch() of events that the program has read.
  [[nodiscard]] bool DispatchAfterProgram();
  // Waits until the program has read what arrived; false when that takes longer than a fraction of a millisecond.
  [[nodiscard]] bool ProgramReads();
  // Reads once, for half a second at most; false when the connection is broken.
  [[nodiscard]] bool Read();
  // Sends a request that the compositor answers; false when the connection is broken.
  [[nodiscard]] bool WakeProgram();
  // The compositor's next answer belongs to the queue. Null when memory is short.
  [[nodiscard]] wl_callback* Sync() TANDEM_REQUIRES(mutex_);
  [[nodiscard]] std::uint64_t Socket() const;

  wl_display* const display_;
  const std::function<void()> after_events_;
  int fd_ = -1;  // of the connection
  std::uint64_t socket_ = 0;
  wl_event_queue* queue_ = nullptr;
  UniqueFd wake_;
  Mutex mutex_;
  Condition changed_;
  std::uint64_t expected_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  std::atomic<bool> lost_{false};
  // The thread's own.
  bool took_ = false;        // the thread, not the program, read last
  int turns_ = 0;            // the program is waited for while this is not 0
  int quiet_ms_ = kQuietMs;  // time without events after which the program is woken
  Thread thread_;
};

}  // namespace tandem::outputs
