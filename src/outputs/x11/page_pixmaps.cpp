#include "outputs/x11/page_pixmaps.h"

#include <utility>

#include <xcb/shm.h>

#include "base/dma_buf.h"
#include "base/log.h"
#include "base/memory_map.h"
#include "outputs/eight_bits.h"

namespace tandem::outputs {
namespace {

constexpr std::uint32_t kMostExtent = 0x7FFF;
constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint8_t kPixelBits = 32;
constexpr std::uint32_t kProbeExtent = 64;
constexpr std::uint32_t kProbePitch = kProbeExtent * kPixelBytes;

}  // namespace

PagePixmaps::PagePixmaps(WindowWatch& watch, Kind kind) : watch_(&watch), kind_(kind), why_no_pages_(WhyNot()) {
  if (!why_no_pages_.empty()) return;
  takes_exported_ = kind == Kind::kDmaBufs;
  auto pages = CreateSharedPages("tandem-x11-probe", std::size_t{kProbePitch} * kProbeExtent);
  if (!pages.ok()) {
    why_no_pages_ = pages.error().message;
    return;
  }
  Surface probe;
  probe.width = probe.height = kProbeExtent;
  probe.pitch = kProbePitch;
  probe.backing_fd = pages->get();
  auto pixmap = Make(probe);
  if (pixmap.ok()) {
    xcb_free_pixmap(watch.connection().get(), *pixmap);
  } else {
    why_no_pages_ = pixmap.error().message;
  }
}

std::string PagePixmaps::WhyNot() const {
  X11Connection& connection = watch_->connection();
  if (kind_ == Kind::kDmaBufs && connection.dri3() == nullptr) return "The X server has no DRI3.";
  if (kind_ == Kind::kSegments && !connection.shares_pixmaps()) return "The X server makes no pixmaps over shared memory.";
  return {};
}

bool PagePixmaps::Fits(const Surface& surface) const {
  if (!IsBgra8(surface.format) || surface.width > kMostExtent || surface.height > kMostExtent) return false;
  if (surface.backing_is_dma_buf) return takes_exported_ && surface.modifier == kLinearModifier && surface.backing_offset == 0;
  if (!why_no_pages_.empty() || surface.backing_fd < 0) return false;
  // A segment's pixmap has rows without padding.
  if (kind_ == Kind::kSegments) return surface.pitch == surface.width * kPixelBytes && surface.backing_offset <= 0xFFFFFFFFU;
  return surface.backing_offset % PageSize() == 0;
}

Result<xcb_pixmap_t> PagePixmaps::Of(const Surface& surface) {
  if (!Fits(surface)) return xcb_pixmap_t{XCB_NONE};
  const bool exported = surface.backing_is_dma_buf;
  const Layout layout{surface.width, surface.height, surface.pitch, surface.backing_offset, exported};
  Entry& entry = entries_[surface.id];
  if (entry.pixmap != XCB_NONE && entry.layout == layout) return entry.pixmap;
  if (entry.pixmap != XCB_NONE) xcb_free_pixmap(watch_->connection().get(), entry.pixmap);
  entry = {layout, XCB_NONE};
  auto made = Make(surface);
  if (made.ok()) return entry.pixmap = *made;
  if (made.error().kind == ErrorKind::kSurfaceLost) return made;
  Log(LogLevel::kWarn, "Frames of {} x {} pixels take another way to the X server: {}", surface.width, surface.height,
      made.error().message);
  if (exported) {
    takes_exported_ = false;
  } else {
    why_no_pages_ = made.error().message;
  }
  return xcb_pixmap_t{XCB_NONE};
}

Result<xcb_pixmap_t> PagePixmaps::Make(const Surface& surface) {
  const xcb_pixmap_t pixmap = xcb_generate_id(watch_->connection().get());
  auto made = kind_ == Kind::kDmaBufs ? MakeOverDmaBuf(pixmap, surface) : MakeOverSegment(pixmap, surface);
  if (!made.ok()) return std::move(made).error();
  return pixmap;
}

Result<void> PagePixmaps::Check(xcb_void_cookie_t cookie, const char* what) {
  X11Connection& connection = watch_->connection();
  const Reply<xcb_generic_error_t> error(xcb_request_check(connection.get(), cookie));
  watch_->HandleEvents();
  if (connection.broken()) return watch_->Lost("the X server went away");
  if (error) return Fail(ErrorKind::kUnsupported, "The X server refuses {} (X error {}).", what, error->error_code);
  return {};
}

Result<void> PagePixmaps::MakeOverDmaBuf(xcb_pixmap_t pixmap, const Surface& surface) {
  auto bytes = RoundUpToPages(std::size_t{surface.pitch} * surface.height);
  if (!bytes.ok()) return std::move(bytes).error();
  // xcb closes what it sends.
  auto dma_buf = surface.backing_is_dma_buf ? DuplicateFd(surface.backing_fd)
                                            : CreateDmaBuf(surface.backing_fd, surface.backing_offset, *bytes);
  if (!dma_buf.ok()) return std::move(dma_buf).error();
  X11Connection& connection = watch_->connection();
  const auto width = static_cast<std::uint16_t>(surface.width), height = static_cast<std::uint16_t>(surface.height);
  const std::int32_t sent = dma_buf->Release();
  if (connection.names_modifiers()) {
    return Check(connection.dri3()->pixmap_from_buffers_checked(connection.get(), pixmap, watch_->window(), 1, width, height,
                                                                surface.pitch, 0, 0, 0, 0, 0, 0, 0, watch_->depth(), kPixelBits,
                                                                kLinearModifier, &sent),
                 "a dma-buf");
  }
  return Check(connection.dri3()->pixmap_from_buffer_checked(
                   connection.get(), pixmap, watch_->window(), static_cast<std::uint32_t>(*bytes), width, height,
                   static_cast<std::uint16_t>(surface.pitch), watch_->depth(), kPixelBits, sent),
               "a dma-buf");
}

Result<void> PagePixmaps::MakeOverSegment(xcb_pixmap_t pixmap, const Surface& surface) {
  xcb_connection_t* x = watch_->connection().get();
  auto fd = DuplicateFd(surface.backing_fd);
  if (!fd.ok()) return std::move(fd).error();
  const xcb_shm_seg_t segment = xcb_generate_id(x);
  // Servers make no pixmap over a segment that they may not write.
  auto attached = Check(xcb_shm_attach_fd_checked(x, segment, fd->Release(), 0), "shared pages");
  if (!attached.ok()) return attached;
  auto made = Check(xcb_shm_create_pixmap_checked(x, pixmap, watch_->window(), static_cast<std::uint16_t>(surface.width),
                                                  static_cast<std::uint16_t>(surface.height), watch_->depth(), segment,
                                                  static_cast<std::uint32_t>(surface.backing_offset)),
                    "a pixmap over shared pages");
  xcb_shm_detach(x, segment);  // the pixmap keeps the pages
  return made;
}

xcb_pixmap_t PagePixmaps::Forget(std::uint64_t surface_id) {
  const auto found = entries_.find(surface_id);
  if (found == entries_.end()) return XCB_NONE;
  const xcb_pixmap_t pixmap = found->second.pixmap;
  if (pixmap != XCB_NONE) xcb_free_pixmap(watch_->connection().get(), pixmap);
  entries_.erase(found);
  return pixmap;
}

}  // namespace tandem::outputs
