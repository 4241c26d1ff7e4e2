// A wl_buffer over pages that the compositor maps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"
#include "color/format.h"
#include "outputs/output.h"
#include "outputs/wayland/events.h"
#include "outputs/wayland/globals.h"

namespace tandem::outputs {

// Pixels in a memfd or a dma-buf, in the form of wl_shm.
struct PageLayout {
  int fd = -1;
  bool is_dma_buf = false;
  std::uint64_t modifier = kLinearModifier;  // of the dma-buf
  std::uint64_t fd_bytes = 0;
  std::uint64_t offset = 0;  // bytes
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  std::uint32_t pitch = 0;   // bytes
  std::uint32_t format = 0;  // wl_shm_format

  friend bool operator==(const PageLayout&, const PageLayout&) = default;
};

// The format of wl_shm with these bytes, without alpha; nothing where it has none.
[[nodiscard]] std::optional<std::uint32_t> ShmFormatOf(color::Format format, bool blends);

// The DRM format with the bytes of a format of wl_shm.
[[nodiscard]] std::uint32_t FourccOf(std::uint32_t shm_format);

// Destroyed before `events`. The lock is that of `events`.
class PageBuffer {
 public:
  // The caller may close the descriptor afterwards. kUnsupported beyond 2 GiB, the protocol's limit.
  static Result<std::unique_ptr<PageBuffer>> CreateShm(WaylandEvents& events, const WaylandGlobals& globals,
                                                       const PageLayout& layout);
  // Over the dma-buf, or one of the memfd's pages. Errors: those of WaylandDmaBufs::Create.
  static Result<std::unique_ptr<PageBuffer>> CreateDmaBuf(WaylandEvents& events, const WaylandDmaBufs& dma_bufs,
                                                          const PageLayout& layout);
  ~PageBuffer();
  PageBuffer(const PageBuffer&) = delete;
  PageBuffer& operator=(const PageBuffer&) = delete;

  [[nodiscard]] const PageLayout& layout() const { return layout_; }
  // Shows the buffer with the surface's next commit. With the lock.
  void Attach(wl_surface* surface);
  // True from Attach until the compositor gives the buffer back. With the lock.
  [[nodiscard]] bool in_use() const { return in_use_; }
  // Waits until no device reads a dma-buf that the compositor gave back: it does so once it has queued its last commands. False
  // when `timeout_ms` pass first. Without the lock.
  [[nodiscard]] bool AwaitReads(int timeout_ms) const;

 private:
  PageBuffer(WaylandEvents& events, const PageLayout& layout) : events_(events), layout_(layout) {}
  void Listen(wl_buffer* buffer) TANDEM_REQUIRES(events_.mutex());

  WaylandEvents& events_;
  const PageLayout layout_;
  wl_buffer* buffer_ = nullptr;
  UniqueFd dma_buf_;
  bool in_use_ = false;
};

}  // namespace tandem::outputs
