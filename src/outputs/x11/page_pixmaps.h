// Pixmaps over the memory of surfaces, which the X server reads where it is.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "outputs/output.h"
#include "outputs/x11/window_watch.h"

namespace tandem::outputs {

// Threads: one.
class PagePixmaps {
 public:
  enum class Kind { kDmaBufs, kSegments };

  // Asks the server for a small pixmap over pages first. `watch` outlives it.
  PagePixmaps(WindowWatch& watch, Kind kind);
  PagePixmaps(PagePixmaps&&) = default;
  PagePixmaps& operator=(PagePixmaps&&) = default;

  [[nodiscard]] Kind kind() const { return kind_; }
  // Empty while the server makes pixmaps over pages; then the reason why not.
  [[nodiscard]] const std::string& why_no_pages() const { return why_no_pages_; }
  // The surface's pixmap, made at first use; XCB_NONE for a surface that no pixmap can show: its format, memory or layout, or the
  // server refused memory of its kind. kSurfaceLost.
  Result<xcb_pixmap_t> Of(const Surface& surface);
  // The pixmap of a surface whose memory is about to be freed, or XCB_NONE. The server keeps it while it is on the screen.
  xcb_pixmap_t Forget(std::uint64_t surface_id);

 private:
  struct Layout {
    std::uint32_t width = 0, height = 0, pitch = 0;
    std::uint64_t offset = 0;
    bool exported = false;  // a dma-buf of the exporter's
    friend bool operator==(const Layout&, const Layout&) = default;
  };
  struct Entry {
    Layout layout;
    xcb_pixmap_t pixmap = XCB_NONE;
  };

  // A reason why not, for the connection alone.
  [[nodiscard]] std::string WhyNot() const;
  [[nodiscard]] bool Fits(const Surface& surface) const;
  Result<xcb_pixmap_t> Make(const Surface& surface);
  Result<void> MakeOverDmaBuf(xcb_pixmap_t pixmap, const Surface& surface);
  Result<void> MakeOverSegment(xcb_pixmap_t pixmap, const Surface& surface);
  // The outcome of a checked request.
  Result<void> Check(xcb_void_cookie_t cookie, const char* what);

  WindowWatch* watch_;
  Kind kind_;
  std::string why_no_pages_;
  bool takes_exported_ = false;                       // dma-bufs that surfaces bring
  std::unordered_map<std::uint64_t, Entry> entries_;  // by surface id
};

}  // namespace tandem::outputs
