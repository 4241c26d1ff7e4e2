// Images on a window: by MIT-SHM, which lets the X server read shared pages, or through the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/memory_map.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "outputs/output.h"
#include "outputs/x11/shm_segments.h"
#include "outputs/x11/window_watch.h"

namespace tandem::outputs {

// Threads: one.
class WindowImages {
 public:
  // `watch` outlives it.
  explicit WindowImages(WindowWatch& watch);
  WindowImages(const WindowImages&) = delete;
  WindowImages& operator=(const WindowImages&) = delete;

  // "MIT-SHM", or "through the connection" with the reason.
  [[nodiscard]] const std::string& way() const { return way_; }
  // Returns when the server has read the pixels. `after_image` is called before the requests are sent. kSurfaceLost.
  Result<void> Put(const Surface& surface, const std::function<void()>& after_image);
  void Forget(std::uint64_t surface_id);
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_; }  // by the last Put

 private:
  [[nodiscard]] xcb_connection_t* x() const { return watch_.connection().get(); }
  Result<void> EnsureOwnPages(std::size_t bytes);
  // A segment and offset with the surface in B, G, R order; pitch in bytes.
  struct Readable {
    xcb_shm_seg_t segment = 0;
    std::uint32_t offset = 0;
    std::uint32_t pitch = 0;
  };
  Result<Readable> MakeReadable(const Surface& surface);
  Result<void> PutThroughConnection(const Surface& surface, const std::function<void()>& after_image);
  void LeaveSegments(const Error& reason);

  WindowWatch& watch_;
  std::unique_ptr<ShmSegments> segments_;
  xcb_gcontext_t context_ = 0;
  std::string way_ = "through the connection";
  UniqueFd own_fd_;
  MemoryMap own_pages_;
  std::uint64_t copied_bytes_ = 0;
};

}  // namespace tandem::outputs
