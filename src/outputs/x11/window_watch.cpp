#include "outputs/x11/window_watch.h"

#include <utility>

#include <poll.h>

#include "base/log.h"

namespace tandem::outputs {
namespace {

constexpr int kServerTimeoutMs = 10'000;
constexpr int kStepMs = 5;

std::uint64_t Pack(std::uint32_t width, std::uint32_t height) { return std::uint64_t{width} << 32 | height; }

}  // namespace

Result<std::unique_ptr<WindowWatch>> WindowWatch::Open(const X11Target& target) {
  auto connection = X11Connection::Open(target.display);
  if (!connection.ok()) return std::move(connection).error();
  std::unique_ptr<WindowWatch> watch(new WindowWatch(*std::move(connection), target.window));
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
  return {};
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
  } else if (type == connection_->shm_completion_event() && connection_->passes_segments()) {
    ++images_read_;
  }
}

OutputStatus WindowWatch::Ask() {
  xcb_connection_t* x = connection_->get();
  const Reply<xcb_get_geometry_reply_t> geometry(xcb_get_geometry_reply(x, xcb_get_geometry(x, window_), nullptr));
  if (!geometry) lost_ = true;
  OutputStatus status = Status();  // reads the events that preceded the answer
  if (geometry) {
    status.width = geometry->width;
    status.height = geometry->height;
  }
  return status;
}

OutputStatus WindowWatch::Status() {
  if (const std::unique_lock lock(events_, std::try_to_lock); lock.owns_lock()) {
    while (const Reply<xcb_generic_event_t> event{xcb_poll_for_event(connection_->get())}) HandleEvent(*event);
    if (connection_->broken()) lost_ = true;
  }
  const std::uint64_t extent = extent_;
  OutputStatus status;
  status.state = lost_ ? OutputState::kLost : OutputState::kOk;
  status.width = static_cast<std::uint32_t>(extent >> 32);
  status.height = static_cast<std::uint32_t>(extent);
  return status;
}

Result<void> WindowWatch::FinishImage() {
  xcb_flush(connection_->get());
  ++images_sent_;
  const std::lock_guard lock(events_);
  int waited_ms = 0;
  while (images_read_ != images_sent_ && !lost_) {
    if (const Reply<xcb_generic_event_t> event{xcb_poll_for_event(connection_->get())}) {
      HandleEvent(*event);
      continue;
    }
    if (connection_->broken()) return Lost("the X server went away");
    pollfd readable{xcb_get_file_descriptor(connection_->get()), POLLIN, 0};
    // A thread that reads a reply, as Ask() does, takes this event out of the socket, too; then poll() waits for nothing.
    if (poll(&readable, 1, kStepMs) == 0) waited_ms += kStepMs;
    if (waited_ms >= kServerTimeoutMs) return Lost("the X server has not answered for ten seconds");
  }
  if (lost_) return Lost("it was closed");
  return {};
}

}  // namespace tandem::outputs
