#include "outputs/x11/x11_output.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <xcb/shm.h>

#include "base/log.h"
#include "base/memory_map.h"
#include "color/copy.h"
#include "outputs/eight_bits.h"
#include "outputs/x11/shm_segments.h"

namespace tandem::outputs {
namespace {

// Drivers count surface ids from 1, so 0 is free for the output's own segment.
constexpr std::uint64_t kOwnSegment = 0;

bool ReadsAsIs(color::Format format) {
  return format == color::Format::kB8G8R8A8Unorm || format == color::Format::kB8G8R8A8UnormSrgb ||
         format == color::Format::kB8G8R8X8Unorm;
}

class X11Output final : public Output {
 public:
  explicit X11Output(std::unique_ptr<WindowWatch> watch) : watch_(std::move(watch)) {}

  Result<void> Start(const X11Target& target);

  [[nodiscard]] const OutputInfo& info() const override { return info_; }
  [[nodiscard]] OutputStatus Status() const override { return watch_->Status(); }
  [[nodiscard]] OutputStatus AskStatus() const override { return watch_->Ask(); }
  Result<void> Show(const Surface& surface) override;
  [[nodiscard]] bool TakesNv12() const override { return color::kHasYuv420; }
  void Forget(std::uint64_t surface_id) override;
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return copied_bytes_; }

 private:
  [[nodiscard]] xcb_connection_t* x() const { return watch_->connection().get(); }
  Result<void> CheckVisual(xcb_visualid_t visual) const;
  Result<void> EnsureOwnPages(std::size_t bytes);
  // A segment and offset with the surface in B, G, R order; pitch in bytes.
  struct Readable {
    xcb_shm_seg_t segment = 0;
    std::uint32_t offset = 0;
    std::uint32_t pitch = 0;
  };
  Result<Readable> MakeReadable(const Surface& surface);
  Result<void> ShowThroughConnection(const Surface& surface);
  void LeaveSegments(const Error& reason);

  const std::unique_ptr<WindowWatch> watch_;
  std::unique_ptr<ShmSegments> segments_;
  xcb_gcontext_t context_ = 0;
  OutputInfo info_;
  UniqueFd own_fd_;
  MemoryMap own_pages_;
  std::uint64_t copied_bytes_ = 0;
};

Result<void> X11Output::CheckVisual(xcb_visualid_t visual) const {
  const std::uint8_t depth = watch_->depth();
  const xcb_setup_t* setup = xcb_get_setup(x());
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
              watch_->window(), depth);
}

Result<void> X11Output::Start(const X11Target& target) {
  const auto cookie = xcb_get_window_attributes(x(), watch_->window());
  const Reply<xcb_get_window_attributes_reply_t> attributes(xcb_get_window_attributes_reply(x(), cookie, nullptr));
  if (!attributes) return watch_->Lost("there is no such window");
  if (auto visual = CheckVisual(attributes->visual); !visual.ok()) return visual.error();
  context_ = xcb_generate_id(x());
  xcb_create_gc(x(), context_, watch_->window(), 0, nullptr);
  xcb_flush(x());
  X11Connection& connection = watch_->connection();
  std::string way = "through the connection";
  if (connection.passes_segments()) {
    // A sandbox or a file size limit may refuse memory for segments.
    const OutputStatus status = watch_->Status();
    const auto pages =
        CreateSharedPages("tandem-x11-output", std::max(std::size_t{4} * status.width * status.height, PageSize()));
    way = pages.ok() ? "MIT-SHM" : fmt::format("{}: {}", way, pages.error().message);
    segments_ = std::make_unique<ShmSegments>(connection);
    if (!pages.ok()) LeaveSegments(pages.error());
  }
  info_.kind = "x11";
  const char* display = target.display.empty() ? "$DISPLAY" : target.display.c_str();
  info_.name = fmt::format("window {:#x} on {}, {}", watch_->window(), display, way);
  info_.refresh_period_ns = connection.refresh_period_ns();
  return {};
}

void X11Output::LeaveSegments(const Error& reason) {
  Log(LogLevel::kWarn, "Frames reach the window through the connection: {}", reason.message);
  segments_.reset();
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
    if (segment.error().kind == ErrorKind::kSurfaceLost) return watch_->Lost("the X server went away");
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
  // The request's header has 24 bytes; lengths count units of four bytes.
  const std::uint64_t room = std::uint64_t{xcb_get_maximum_request_length(x())} * 4 - 64;
  // Even, because two NV12 rows share their chroma.
  const auto strip = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(room / pitch & ~1ULL, 2, std::max(surface.height, 2U)));
  std::vector<std::byte> rows(std::size_t{pitch} * strip);
  for (std::uint32_t y = 0; y < surface.height; y += strip) {
    const std::uint32_t count = std::min(strip, surface.height - y);
    ToBgra8(rows.data(), pitch, surface, y, count, color::Alpha::kKeep);
    xcb_put_image(x(), XCB_IMAGE_FORMAT_Z_PIXMAP, watch_->window(), context_, static_cast<std::uint16_t>(surface.width),
                  static_cast<std::uint16_t>(count), 0, static_cast<std::int16_t>(y), 0, watch_->depth(), pitch * count,
                  reinterpret_cast<const std::uint8_t*>(rows.data()));
  }
  copied_bytes_ = std::uint64_t{pitch} * surface.height;
  // The requests contain the pixels; a round trip keeps the program from running ahead of the server.
  const Reply<xcb_get_input_focus_reply_t> reply(xcb_get_input_focus_reply(x(), xcb_get_input_focus(x()), nullptr));
  if (!reply) return watch_->Lost("the X server went away");
  return {};
}

Result<void> X11Output::Show(const Surface& surface) {
  copied_bytes_ = 0;
  if (watch_->lost()) return watch_->Lost("it was closed");
  if (!BecomesBgra8(surface.format)) {
    return Fail(ErrorKind::kUnsupported, "A window cannot show format {}.", color::ToString(surface.format));
  }
  if (!segments_) return ShowThroughConnection(surface);
  auto readable = MakeReadable(surface);
  if (!readable.ok() && readable.error().kind == ErrorKind::kUnsupported) {
    LeaveSegments(readable.error());
    return ShowThroughConnection(surface);
  }
  if (!readable.ok()) return std::move(readable).error();
  xcb_shm_put_image(x(), watch_->window(), context_, static_cast<std::uint16_t>(readable->pitch / 4),
                    static_cast<std::uint16_t>(surface.height), 0, 0, static_cast<std::uint16_t>(surface.width),
                    static_cast<std::uint16_t>(surface.height), 0, 0, watch_->depth(), XCB_IMAGE_FORMAT_Z_PIXMAP,
                    1 /* send the event */, readable->segment, readable->offset);
  return watch_->FinishImage();
}

void X11Output::Forget(std::uint64_t surface_id) {
  if (segments_) segments_->Detach(surface_id);
}

}  // namespace

Result<std::unique_ptr<Output>> CreateX11Output(const X11Target& target) {
  auto watch = WindowWatch::Open(target);
  if (!watch.ok()) return std::move(watch).error();
  auto output = std::make_unique<X11Output>(*std::move(watch));
  if (auto started = output->Start(target); !started.ok()) return started.error();
  return std::unique_ptr<Output>(std::move(output));
}

}  // namespace tandem::outputs
