#include "outputs/wayland/events.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/sleep.h"

namespace tandem::outputs {
namespace {

constexpr int kCompositorTimeoutMs = 10'000;
constexpr int kReadTimeoutMs = 500;
constexpr std::int64_t kNsPerMs = 1'000'000;
// The program has this long to read an event before the thread does. One sleep: on a loaded machine each one takes longer.
constexpr std::int64_t kProgramsTurnNs = 200'000;

void OnSynced(void* data, wl_callback* /*callback*/, std::uint32_t /*serial*/) { *static_cast<bool*>(data) = true; }
constexpr wl_callback_listener kSynced{&OnSynced};

}  // namespace

Result<std::unique_ptr<WaylandEvents>> WaylandEvents::Start(wl_display* display, std::function<void()> after_events) {
  std::unique_ptr<WaylandEvents> events(new WaylandEvents(display, std::move(after_events)));
  if (auto opened = events->Open(); !opened.ok()) return std::move(opened).error();
  auto thread = Thread::Start("tandem-wayland", [raw = events.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Reading the events of a Wayland connection");
  events->thread_ = *std::move(thread);
  return events;
}

Result<void> WaylandEvents::Open() {
  if (Wayland().display_get_error(display_) != 0) return Fail(ErrorKind::kSurfaceLost, "The Wayland connection is broken.");
  fd_ = Wayland().display_get_fd(display_);
  socket_ = Socket();
  wake_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_.valid()) queue_ = Wayland().display_create_queue(display_);
  if (queue_ == nullptr) {
    return Fail(ErrorKind::kLimit, "The events of a Wayland connection cannot be read: {}.", std::strerror(errno));
  }
  return {};
}

WaylandEvents::~WaylandEvents() {
  Stop();
  if (queue_ != nullptr && connected()) Wayland().event_queue_destroy(queue_);
}

void WaylandEvents::Stop() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  static_cast<void>(eventfd_write(wake_.get(), 1));
  thread_.Join();
}

std::uint64_t WaylandEvents::Socket() const {
  struct stat status {};
  return fstat(fd_, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

bool WaylandEvents::connected() const { return Socket() == socket_; }

Result<void> WaylandEvents::Usable() const {
  if (!lost_ && connected()) return {};
  return Fail(ErrorKind::kSurfaceLost, "The Wayland connection is closed.");
}

void WaylandEvents::Expect() {
  ++expected_;
  changed_.NotifyAll();
}

bool WaylandEvents::Dispatch() {
  const MutexLock lock(mutex_);
  return Wayland().display_dispatch_queue_pending(display_, queue_) >= 0;
}

bool WaylandEvents::ProgramReads() {
  SleepFor(MonotonicClock(), kProgramsTurnNs);
  pollfd unread{fd_, POLLIN, 0};
  return poll(&unread, 1, 0) <= 0;
}

bool WaylandEvents::DispatchAfterProgram() {
  took_ = false;
  quiet_ms_ = kQuietMs;
  return Dispatch();
}

bool WaylandEvents::Read() {
  const WaylandClient& client = Wayland();
  if (!connected()) return false;
  // Not zero: another thread has read events for this queue.
  if (client.display_prepare_read_queue(display_, queue_) != 0) return DispatchAfterProgram();
  pollfd waits[] = {{fd_, POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  const int ready = poll(waits, 2, took_ ? quiet_ms_ : kReadTimeoutMs);
  if (!connected()) return false;
  client.display_cancel_read(display_);  // or the program's read would wait for the thread's
  if (ready == 0 && took_) return WakeProgram();
  if (ready <= 0 || waits[0].revents == 0) return true;
  if (turns_ > 0 && ProgramReads()) {
    turns_ = kTurns;
    return connected() && DispatchAfterProgram();
  }
  if (!connected()) return false;
  if (client.display_prepare_read_queue(display_, queue_) != 0) return DispatchAfterProgram();
  took_ = true;
  turns_ = std::max(turns_ - 1, 0);
  return client.display_read_events(display_) == 0 && Dispatch();
}

bool WaylandEvents::WakeProgram() {
  took_ = false;
  turns_ = std::max(turns_, 1);
  quiet_ms_ = std::min(2 * quiet_ms_, kReadTimeoutMs);
  {
    const MutexLock lock(mutex_);
    if (!Usable().ok()) return false;
    // libwayland drops the answer when a thread reads it.
    if (wl_callback* callback = Sync(); callback != nullptr) wl_callback_destroy(callback);
  }
  return Flush().ok();
}

void WaylandEvents::Run() {
  MutexLock lock(mutex_);
  while (!stop_ && !lost_) {
    const bool reads = expected_ != 0;
    if (!reads && !took_) {
      changed_.Wait(lock.native());
      continue;
    }
    if (!reads && MonotonicClock().WaitUntil(lock.native(), changed_, MonotonicClock().NowNs() + quiet_ms_ * kNsPerMs)) continue;
    lock.Unlock();
    if (!(reads ? Read() : WakeProgram())) lost_ = true;
    after_events_();
    lock.Lock();
    changed_.NotifyAll();
  }
}

bool WaylandEvents::WaitFor(MutexLock& lock, std::int64_t timeout_ns, const std::function<bool()>& condition) {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + timeout_ns;
  Expect();
  bool in_time = true;
  while (!condition() && !lost_ && in_time) in_time = MonotonicClock().WaitUntil(lock.native(), changed_, deadline_ns);
  Arrived();
  return condition();
}

Result<void> WaylandEvents::Flush() {
  while (!lost_) {
    if (!connected()) break;
    if (Wayland().display_flush(display_) >= 0) return {};
    pollfd writable{fd_, POLLOUT, 0};
    if (errno != EAGAIN || poll(&writable, 1, kCompositorTimeoutMs) <= 0 || (writable.revents & POLLOUT) == 0) break;
  }
  lost_ = true;
  return Fail(ErrorKind::kSurfaceLost, "The Wayland compositor takes no requests any more.");
}

wl_callback* WaylandEvents::Sync() {
  wl_display* stand_in = StandIn(display_);
  wl_callback* callback = stand_in == nullptr ? nullptr : wl_display_sync(stand_in);
  ReleaseStandIn(stand_in);
  return callback;
}

Result<void> WaylandEvents::RoundTrip() {
  bool answered = false;
  MutexLock lock(mutex_);
  if (auto usable = Usable(); !usable.ok()) return usable;
  wl_callback* callback = Sync();
  if (callback == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland request.");
  wl_callback_add_listener(callback, &kSynced, &answered);
  lock.Unlock();
  auto sent = Flush();
  lock.Lock();
  if (sent.ok() && !WaitFor(lock, kCompositorTimeoutMs * kNsPerMs, [&answered] { return answered; })) {
    lost_ = true;
    sent = Fail(ErrorKind::kSurfaceLost, "The Wayland compositor has not answered for ten seconds.");
  }
  if (connected()) wl_callback_destroy(callback);
  return sent;
}

}  // namespace tandem::outputs
