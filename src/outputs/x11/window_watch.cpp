#include "outputs/x11/window_watch.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/log.h"

namespace tandem::outputs {
namespace {

constexpr std::int64_t kServerTimeoutNs = 10'000'000'000;

std::uint64_t Pack(std::uint32_t width, std::uint32_t height) { return std::uint64_t{width} << 32 | height; }

}  // namespace

Result<std::unique_ptr<WindowWatch>> WindowWatch::Open(const X11Target& target, Handlers handlers) {
  auto connection = X11Connection::Open(target.display);
  if (!connection.ok()) return std::move(connection).error();
  std::unique_ptr<WindowWatch> watch(new WindowWatch(*std::move(connection), target.window, std::move(handlers)));
  if (auto started = watch->Start(); !started.ok()) return std::move(started).error();
  return watch;
}

Result<void> WindowWatch::Start() {
  xcb_connection_t* x = connection_->get();
  // Precedes the size query, so that no change is missed between the two. Each client has its own event mask.
  const std::uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  xcb_discard_reply(x, xcb_change_window_attributes_checked(x, window_, XCB_CW_EVENT_MASK, &mask).sequence);
  const Reply<xcb_get_geometry_reply_t> geometry(xcb_get_geometry_reply(x, xcb_get_geometry(x, window_), nullptr));
  if (!geometry) return Lost("there is no such window");
  depth_ = geometry->depth;
  extent_ = Pack(geometry->width, geometry->height);
  HandleQueued();
  wake_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.valid()) return Fail(ErrorKind::kLimit, "The events of a window cannot be read: {}.", std::strerror(errno));
  auto thread = Thread::Start("tandem-x11", [this] { Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Reading the events of a window");
  thread_ = *std::move(thread);
  return {};
}

void WindowWatch::Stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  static_cast<void>(eventfd_write(wake_.get(), 1));
  thread_.Join();
}

void WindowWatch::Run() {
  while (!stop_ && !connection_->broken()) {
    pollfd waits[] = {{xcb_get_file_descriptor(connection_->get()), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) break;
    eventfd_t ignored = 0;
    static_cast<void>(eventfd_read(wake_.get(), &ignored));
    HandleQueued();
    if (handlers_.after_events) handlers_.after_events();
  }
}

bool WindowWatch::HandleQueued() {
  bool any = false;
  {
    const MutexLock lock(mutex_);
    while (const Reply<xcb_generic_event_t> event{xcb_poll_for_event(connection_->get())}) {
      HandleEvent(*event);
      any = true;
    }
    if (connection_->broken()) lost_ = true;
  }
  if (any || lost_) changed_.NotifyAll();
  return any;
}

void WindowWatch::HandleEvents() {
  if (HandleQueued()) static_cast<void>(eventfd_write(wake_.get(), 1));
}

Error WindowWatch::Lost(const char* what) {
  lost_ = true;
  return Fail(ErrorKind::kSurfaceLost, "Window {:#x}: {}.", window_, what);
}

void WindowWatch::HandleEvent(const xcb_generic_event_t& event) {
  const std::uint8_t type = event.response_type & 0x7F;
  if (type == 0) {
    // Any failed request was for this window, because nothing else is drawn to.
    const auto& error = reinterpret_cast<const xcb_generic_error_t&>(event);
    const bool closed = error.resource_id == window_ && (error.error_code == XCB_WINDOW || error.error_code == XCB_DRAWABLE);
    Log(closed ? LogLevel::kInfo : LogLevel::kError, "Window {:#x} ends by X error {} of request {}.{} on resource {:#x}.",
        window_, error.error_code, error.major_code, error.minor_code, error.resource_id);
    lost_ = true;
  } else if (type == XCB_DESTROY_NOTIFY) {
    lost_ = lost_ || reinterpret_cast<const xcb_destroy_notify_event_t&>(event).window == window_;
  } else if (type == XCB_CONFIGURE_NOTIFY) {
    const auto& configure = reinterpret_cast<const xcb_configure_notify_event_t&>(event);
    if (configure.window == window_) extent_ = Pack(configure.width, configure.height);
  } else if (type == XCB_GE_GENERIC) {
    HandlePresentEvent(event);
  } else if (type == connection_->shm_completion_event() && connection_->passes_segments()) {
    ++images_read_;
  }
}

void WindowWatch::HandlePresentEvent(const xcb_generic_event_t& event) {
  if (connection_->present() == nullptr || event.pad0 != connection_->present_opcode()) return;
  const auto& generic = reinterpret_cast<const xcb_ge_generic_event_t&>(event);
  const std::uint16_t type = generic.event_type;
  // The counter lies in the two words behind a plain event's.
  if (type == XCB_PRESENT_EVENT_COMPLETE_NOTIFY && handlers_.completed && generic.length >= 2) {
    handlers_.completed(reinterpret_cast<const xcb_present_complete_notify_event_t&>(event));
  } else if (type == XCB_PRESENT_EVENT_IDLE_NOTIFY && handlers_.idle) {
    handlers_.idle(reinterpret_cast<const xcb_present_idle_notify_event_t&>(event));
  }
}

OutputStatus WindowWatch::Ask() {
  xcb_connection_t* x = connection_->get();
  const Reply<xcb_get_geometry_reply_t> geometry(xcb_get_geometry_reply(x, xcb_get_geometry(x, window_), nullptr));
  if (!geometry) lost_ = true;
  HandleEvents();  // those that preceded the answer
  OutputStatus status = Status();
  if (geometry) {
    status.width = geometry->width;
    status.height = geometry->height;
  }
  return status;
}

OutputStatus WindowWatch::Status() const {
  const std::uint64_t extent = extent_;
  OutputStatus status;
  status.state = lost_ ? OutputState::kLost : OutputState::kOk;
  status.width = static_cast<std::uint32_t>(extent >> 32);
  status.height = static_cast<std::uint32_t>(extent);
  return status;
}

void WindowWatch::Flush() {
  xcb_flush(connection_->get());
  HandleEvents();  // xcb reads events while the server takes no requests
}

bool WindowWatch::WaitFor(MutexLock& lock, std::int64_t timeout_ns, const std::function<bool()>& condition) {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + timeout_ns;
  bool in_time = true;
  while (!condition() && !lost_ && in_time) in_time = MonotonicClock().WaitUntil(lock.native(), changed_, deadline_ns);
  return condition();
}

Result<void> WindowWatch::FinishImage() {
  MutexLock lock(mutex_);
  const std::uint64_t sent = ++images_sent_;
  lock.Unlock();
  Flush();
  lock.Lock();
  const bool read =
      WaitFor(lock, kServerTimeoutNs, [this, sent]() TANDEM_NO_THREAD_SAFETY_ANALYSIS { return images_read_ >= sent; });
  if (lost_) return Lost(connection_->broken() ? "the X server went away" : "it was closed");
  if (!read) return Lost("the X server has not answered for ten seconds");
  return {};
}

}  // namespace tandem::outputs
