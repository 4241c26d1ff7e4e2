#include "outputs/x11/window_images.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <xcb/shm.h>

#include "base/log.h"
#include "color/copy.h"
#include "outputs/eight_bits.h"

namespace tandem::outputs {
namespace {

// Drivers count surface ids from 1, so 0 is free for the output's own segment.
constexpr std::uint64_t kOwnSegment = 0;

}  // namespace

WindowImages::WindowImages(WindowWatch& watch) : watch_(watch) {
  context_ = xcb_generate_id(x());
  xcb_create_gc(x(), context_, watch_.window(), 0, nullptr);
  watch_.Flush();
  if (!watch_.connection().passes_segments()) return;
  // A sandbox or a file size limit may refuse memory for segments.
  const OutputStatus status = watch_.Status();
  const auto pages = CreateSharedPages("tandem-x11-output", std::max(std::size_t{4} * status.width * status.height, PageSize()));
  if (!pages.ok()) {
    LeaveSegments(pages.error());
  } else {
    way_ = "MIT-SHM";
    segments_ = std::make_unique<ShmSegments>(watch_.connection());
  }
}

void WindowImages::LeaveSegments(const Error& reason) {
  Log(LogLevel::kWarn, "Frames reach the window through the connection: {}", reason.message);
  way_ = fmt::format("through the connection: {}", reason.message);
  segments_.reset();
}

Result<void> WindowImages::EnsureOwnPages(std::size_t bytes) {
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

Result<WindowImages::Readable> WindowImages::MakeReadable(const Surface& surface) {
  const bool pitch_fits = surface.pitch % 4 == 0 && surface.pitch / 4 <= 0xFFFF && surface.backing_offset <= 0xFFFFFFFFU;
  if (IsBgra8(surface.format) && surface.backing_fd >= 0 && !surface.backing_is_dma_buf && pitch_fits) {
    auto segment = segments_->Attach(surface.id, surface.backing_fd);
    if (segment.ok()) return Readable{*segment, static_cast<std::uint32_t>(surface.backing_offset), surface.pitch};
    if (segment.error().kind == ErrorKind::kSurfaceLost) return watch_.Lost("the X server went away");
  }
  const std::uint32_t pitch = surface.width * 4;
  const std::uint64_t bytes = std::uint64_t{pitch} * surface.height;
  if (auto pages = EnsureOwnPages(bytes); !pages.ok()) return pages.error();
  if (IsBgra8(surface.format)) {
    color::CopyRows(own_pages_.data(), pitch, surface.pixels, surface.pitch, pitch, surface.height);
  } else {
    ToBgra8(own_pages_.data(), pitch, surface, 0, surface.height, color::Alpha::kKeep);
  }
  copied_bytes_ = bytes;
  auto segment = segments_->Attach(kOwnSegment, own_fd_.get());
  if (!segment.ok()) return std::move(segment).error();
  return Readable{*segment, 0, pitch};
}

Result<void> WindowImages::PutThroughConnection(const Surface& surface, const std::function<void()>& after_image) {
  const std::uint32_t pitch = surface.width * 4;
  // The request's header has 24 bytes; lengths count units of four bytes.
  const std::uint64_t room = std::uint64_t{xcb_get_maximum_request_length(x())} * 4 - 64;
  // Even, because two NV12 rows share their chroma.
  const auto strip = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(room / pitch & ~1ULL, 2, std::max(surface.height, 2U)));
  std::vector<std::byte> rows(std::size_t{pitch} * strip);
  for (std::uint32_t y = 0; y < surface.height; y += strip) {
    const std::uint32_t count = std::min(strip, surface.height - y);
    ToBgra8(rows.data(), pitch, surface, y, count, color::Alpha::kKeep);
    xcb_put_image(x(), XCB_IMAGE_FORMAT_Z_PIXMAP, watch_.window(), context_, static_cast<std::uint16_t>(surface.width),
                  static_cast<std::uint16_t>(count), 0, static_cast<std::int16_t>(y), 0, watch_.depth(), pitch * count,
                  reinterpret_cast<const std::uint8_t*>(rows.data()));
  }
  copied_bytes_ = std::uint64_t{pitch} * surface.height;
  after_image();
  // The requests contain the pixels; a round trip keeps the program from running ahead of the server.
  const Reply<xcb_get_input_focus_reply_t> reply(xcb_get_input_focus_reply(x(), xcb_get_input_focus(x()), nullptr));
  if (!reply) return watch_.Lost("the X server went away");
  watch_.HandleEvents();
  return {};
}

Result<void> WindowImages::Put(const Surface& surface, const std::function<void()>& after_image) {
  copied_bytes_ = 0;
  if (!segments_) return PutThroughConnection(surface, after_image);
  auto readable = MakeReadable(surface);
  if (!readable.ok() && readable.error().kind == ErrorKind::kUnsupported) {
    LeaveSegments(readable.error());
    return PutThroughConnection(surface, after_image);
  }
  if (!readable.ok()) return std::move(readable).error();
  xcb_shm_put_image(x(), watch_.window(), context_, static_cast<std::uint16_t>(readable->pitch / 4),
                    static_cast<std::uint16_t>(surface.height), 0, 0, static_cast<std::uint16_t>(surface.width),
                    static_cast<std::uint16_t>(surface.height), 0, 0, watch_.depth(), XCB_IMAGE_FORMAT_Z_PIXMAP,
                    1 /* send the event */, readable->segment, readable->offset);
  after_image();
  return watch_.FinishImage();
}

void WindowImages::Forget(std::uint64_t surface_id) {
  if (segments_) segments_->Detach(surface_id);
}

}  // namespace tandem::outputs
