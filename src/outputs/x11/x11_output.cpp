#include "outputs/x11/x11_output.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include "base/memory_map.h"
#include "color/copy.h"
#include "outputs/eight_bits.h"
#include "outputs/x11/connection.h"
#include "outputs/x11/shm_segments.h"

namespace tandem::outputs {
namespace {

constexpr int kServerTimeoutMs = 10'000;
// Surface ids come from drivers and count from 1; the output's own segment is none of theirs.
constexpr std::uint64_t kOwnSegment = 0;

bool ReadsAsIs(color::Format format) {
  return format == color::Format::kB8G8R8A8Unorm || format == color::Format::kB8G8R8A8UnormSrgb ||
         format == color::Format::kB8G8R8X8Unorm;
}

std::uint64_t Pack(std::uint32_t width, std::uint32_t height) { return std::uint64_t{width} << 32 | height; }

class X11Output final : public Output {
 public:
  X11Output(std::unique_ptr<X11Connection> connection, const X11Target& target)
      : connection_(std::move(connection)), window_(target.window) {}

  Result<void> Start(const X11Target& target);

  [[nodiscard]] const OutputInfo& info() const override { return info_; }
  [[nodiscard]] OutputStatus Status() const override;
  Result<void> Show(const Surface& surface) override;
  void Forget(std::uint64_t surface_id) override;
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }

 private:
  Error Lost(const char* what);
  Result<void> CheckVisual(xcb_visualid_t visual, std::uint8_t depth) const;
  void HandleEvent(const xcb_generic_event_t& event) const;
  Result<void> WaitForCompletion();
  Result<void> EnsureOwnPages(std::size_t bytes);
  // The segment and offset that hold the surface in B, G, R order, with its pitch in bytes.
  struct Readable {
    xcb_shm_seg_t segment = 0;
    std::uint32_t offset = 0;
    std::uint32_t pitch = 0;
  };
  Result<Readable> MakeReadable(const Surface& surface);
  Result<void> ShowThroughConnection(const Surface& surface);

  std::unique_ptr<X11Connection> connection_;
  std::unique_ptr<ShmSegments> segments_;
  xcb_window_t window_;
  xcb_gcontext_t context_ = 0;
  std::uint8_t depth_ = 0;
  OutputInfo info_;
  UniqueFd own_fd_;
  MemoryMap own_pages_;
  std::uint64_t copied_bytes_ = 0;
  // Held by whoever reads events: Show while it waits, Status for a moment.
  mutable std::mutex events_;
  mutable bool completed_ = false;  // under events_
  mutable std::atomic<bool> lost_{false};
  mutable std::atomic<std::uint64_t> extent_{0};  // width in the upper, height in the lower half
};

Error X11Output::Lost(const char* what) {
  lost_ = true;
  return Fail(ErrorKind::kSurfaceLost, "Window {:#x}: {}.", window_, what);
}

Result<void> X11Output::CheckVisual(xcb_visualid_t visual, std::uint8_t depth) const {
  const xcb_setup_t* setup = xcb_get_setup(connection_->get());
  for (auto screen = xcb_setup_roots_iterator(setup); screen.rem > 0; xcb_screen_next(&screen)) {
    for (auto list = xcb_screen_allowed_depths_iterator(screen.data); list.rem > 0; xcb_depth_next(&list)) {
      for (auto each = xcb_depth_visuals_iterator(list.data); each.rem > 0; xcb_visualtype_next(&each)) {
        if (each.data->visual_id != visual) continue;
        const bool bgr = each.data->red_mask == 0xFF0000 && each.data->green_mask == 0xFF00 && each.data->blue_mask == 0xFF;
        if (bgr && (depth == 24 || depth == 32) && setup->image_byte_order == XCB_IMAGE_ORDER_LSB_FIRST) return {};
      }
    }
  }
  return Fail(ErrorKind::kUnsupported, "Window {:#x} has {} bits a pixel in an order that is not B, G, R; 24 or 32 are shown.",
              window_, depth);
}

Result<void> X11Output::Start(const X11Target& target) {
  xcb_connection_t* x = connection_->get();
  // Before the size is asked, so that no change falls between the two. Each client has a mask of its own.
  const std::uint32_t mask = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  xcb_discard_reply(x, xcb_change_window_attributes_checked(x, window_, XCB_CW_EVENT_MASK, &mask).sequence);
  const auto geometry_cookie = xcb_get_geometry(x, window_);
  const auto attributes_cookie = xcb_get_window_attributes(x, window_);
  const Reply<xcb_get_geometry_reply_t> geometry(xcb_get_geometry_reply(x, geometry_cookie, nullptr));
  const Reply<xcb_get_window_attributes_reply_t> attributes(xcb_get_window_attributes_reply(x, attributes_cookie, nullptr));
  if (!geometry || !attributes) return Lost("there is no such window");
  depth_ = geometry->depth;
  if (auto visual = CheckVisual(attributes->visual, depth_); !visual.ok()) return visual.error();
  extent_ = Pack(geometry->width, geometry->height);
  context_ = xcb_generate_id(x);
  xcb_create_gc(x, context_, window_, 0, nullptr);
  xcb_flush(x);
  if (connection_->passes_segments()) segments_ = std::make_unique<ShmSegments>(*connection_);
  info_.kind = "x11";
  const char* display = target.display.empty() ? "$DISPLAY" : target.display.c_str();
  info_.name = fmt::format("window {:#x} on {}, {}", window_, display, segments_ ? "MIT-SHM" : "through the connection");
  info_.refresh_period_ns = connection_->refresh_period_ns();
  return {};
}

void X11Output::HandleEvent(const xcb_generic_event_t& event) const {
  const std::uint8_t type = event.response_type & 0x7F;
  if (type == 0) {
    // Whatever request failed, it was one on this window: nothing else is drawn to.
    lost_ = true;
  } else if (type == XCB_DESTROY_NOTIFY) {
    lost_ = lost_ || reinterpret_cast<const xcb_destroy_notify_event_t&>(event).window == window_;
  } else if (type == XCB_CONFIGURE_NOTIFY) {
    const auto& configure = reinterpret_cast<const xcb_configure_notify_event_t&>(event);
    if (configure.window == window_) extent_ = Pack(configure.width, configure.height);
  } else if (type == connection_->shm_completion_event() && segments_) {
    completed_ = true;
  }
}

OutputStatus X11Output::Status() const {
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

Result<void> X11Output::WaitForCompletion() {
  while (!completed_ && !lost_) {
    if (const Reply<xcb_generic_event_t> event{xcb_poll_for_event(connection_->get())}) {
      HandleEvent(*event);
      continue;
    }
    if (connection_->broken()) return Lost("the X server went away");
    pollfd readable{xcb_get_file_descriptor(connection_->get()), POLLIN, 0};
    if (poll(&readable, 1, kServerTimeoutMs) == 0) return Lost("the X server has not answered for ten seconds");
  }
  if (lost_) return Lost("it was closed");
  return {};
}

Result<void> X11Output::EnsureOwnPages(std::size_t bytes) {
  if (own_pages_.size_bytes() >= bytes) return {};
  segments_->Detach(kOwnSegment);
  auto fd = CreateSharedPages("tandem-x11-output", bytes);
  if (!fd.ok()) return std::move(fd).error();
  auto size = RoundUpToPages(bytes);
  if (!size.ok()) return std::move(size).error();
  auto pages = MemoryMap::MapShared(*fd, 0, *size, MapAccess::kReadWrite);
  if (!pages.ok()) return std::move(pages).error();
  own_fd_ = *std::move(fd);
  own_pages_ = *std::move(pages);
  return {};
}

Result<X11Output::Readable> X11Output::MakeReadable(const Surface& surface) {
  const bool pitch_fits = surface.pitch % 4 == 0 && surface.pitch / 4 <= 0xFFFF && surface.backing_offset <= 0xFFFFFFFFU;
  if (ReadsAsIs(surface.format) && surface.backing_fd >= 0 && pitch_fits) {
    auto segment = segments_->Attach(surface.id, surface.backing_fd);
    if (segment.ok()) return Readable{*segment, static_cast<std::uint32_t>(surface.backing_offset), surface.pitch};
    if (segment.error().kind == ErrorKind::kSurfaceLost) return Lost("the X server went away");
  }
  const std::uint32_t pitch = surface.width * 4;
  const std::uint64_t bytes = std::uint64_t{pitch} * surface.height;
  if (auto pages = EnsureOwnPages(bytes); !pages.ok()) return pages.error();
  if (ReadsAsIs(surface.format)) {
    color::CopyRows(own_pages_.data(), pitch, surface.pixels, surface.pitch, pitch, surface.height);
  } else {
    ToBgra8(own_pages_.data(), pitch, surface, 0, surface.height, color::Alpha::kKeep);
  }
  copied_bytes_ = bytes;
  auto segment = segments_->Attach(kOwnSegment, own_fd_.get());
  if (!segment.ok()) return std::move(segment).error();
  return Readable{*segment, 0, pitch};
}

Result<void> X11Output::ShowThroughConnection(const Surface& surface) {
  const std::uint32_t pitch = surface.width * 4;
  // The request's head is 24 bytes; lengths are in units of four bytes.
  const std::uint64_t room = std::uint64_t{xcb_get_maximum_request_length(connection_->get())} * 4 - 64;
  const auto strip = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(room / pitch, 1, surface.height));
  std::vector<std::byte> rows(std::size_t{pitch} * strip);
  for (std::uint32_t y = 0; y < surface.height; y += strip) {
    const std::uint32_t count = std::min(strip, surface.height - y);
    ToBgra8(rows.data(), pitch, surface, y, count, color::Alpha::kKeep);
    xcb_put_image(connection_->get(), XCB_IMAGE_FORMAT_Z_PIXMAP, window_, context_, static_cast<std::uint16_t>(surface.width),
                  static_cast<std::uint16_t>(count), 0, static_cast<std::int16_t>(y), 0, depth_, pitch * count,
                  reinterpret_cast<const std::uint8_t*>(rows.data()));
  }
  copied_bytes_ = std::uint64_t{pitch} * surface.height;
  // The pixels are in the requests; a round trip keeps the program from running ahead of the server.
  const Reply<xcb_get_input_focus_reply_t> reply(
      xcb_get_input_focus_reply(connection_->get(), xcb_get_input_focus(connection_->get()), nullptr));
  if (!reply) return Lost("the X server went away");
  return {};
}

Result<void> X11Output::Show(const Surface& surface) {
  copied_bytes_ = 0;
  if (lost_) return Lost("it was closed");
  if (!color::ConvertsToBgra8(surface.format)) {
    return Fail(ErrorKind::kUnsupported, "A window cannot show format {}.", color::ToString(surface.format));
  }
  if (!segments_) return ShowThroughConnection(surface);
  auto readable = MakeReadable(surface);
  if (!readable.ok()) return std::move(readable).error();
  const std::lock_guard lock(events_);
  completed_ = false;
  xcb_shm_put_image(connection_->get(), window_, context_, static_cast<std::uint16_t>(readable->pitch / 4),
                    static_cast<std::uint16_t>(surface.height), 0, 0, static_cast<std::uint16_t>(surface.width),
                    static_cast<std::uint16_t>(surface.height), 0, 0, depth_, XCB_IMAGE_FORMAT_Z_PIXMAP, 1 /* send the event */,
                    readable->segment, readable->offset);
  xcb_flush(connection_->get());
  return WaitForCompletion();
}

void X11Output::Forget(std::uint64_t surface_id) {
  if (segments_) segments_->Detach(surface_id);
}

}  // namespace

Result<std::unique_ptr<Output>> CreateX11Output(const X11Target& target) {
  auto connection = X11Connection::Open(target.display);
  if (!connection.ok()) return std::move(connection).error();
  auto output = std::make_unique<X11Output>(*std::move(connection), target);
  if (auto started = output->Start(target); !started.ok()) return started.error();
  return std::unique_ptr<Output>(std::move(output));
}

}  // namespace tandem::outputs
