// A wl_buffer over pages that the compositor maps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "color/format.h"
#include "outputs/wayland/events.h"
#include "outputs/wayland/globals.h"

namespace tandem::outputs {

// Pixels in a memfd, in the form of wl_shm.
struct PageLayout {
  int fd = -1;
  std::uint64_t fd_bytes = 0;
  std::uint64_t offset = 0;  // bytes
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  std::uint32_t pitch = 0;   // bytes
  std::uint32_t format = 0;  // wl_shm_format

  friend bool operator==(const PageLayout&, const PageLayout&) = default;
};

// The format of wl_shm with these bytes, without alpha; nothing where it has none.
[[nodiscard]] std::optional<std::uint32_t> ShmFormatOf(color::Format format);

// Destroyed before `events`. The lock is that of `events`.
class PageBuffer {
 public:
  // The caller may close the descriptor afterwards. kUnsupported beyond 2 GiB, the protocol's limit.
  static Result<std::unique_ptr<PageBuffer>> CreateShm(WaylandEvents& events, const WaylandGlobals& globals,
                                                       const PageLayout& layout);
  // Over a dma-buf of the same pages. Errors: those of CreateDmaBuffer.
  static Result<std::unique_ptr<PageBuffer>> CreateDmaBuf(WaylandEvents& events, const WaylandGlobals& globals,
                                                          const PageLayout& layout);
  ~PageBuffer();
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;

  [[nodiscard]] const PageLayout& layout() const { return layout_; }
  // Shows the buffer with the surface's next commit. With the lock.
  void Attach(wl_surface* surface);
  // True from Attach until the compositor has read the pixels for the last time. With the lock.
  [[nodiscard]] bool in_use() const { return in_use_; }

 private:
  PageBuffer(WaylandEvents& events, const PageLayout& layout) : events_(events), layout_(layout) {}
  void Listen(wl_buffer* buffer) TANDEM_REQUIRES(events_.mutex());

  WaylandEvents& events_;
  const PageLayout layout_;
  wl_buffer* buffer_ = nullptr;
  bool in_use_ = false;
};

}  // namespace tandem::outputs
