// A wl_buffer over pages that the compositor maps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "color/format.h"
#include "outputs/output.h"
#include "outputs/wayland/events.h"

namespace tandem::outputs {

// Pixels in a memfd.
struct ShmLayout {
  int fd = -1;
  std::uint64_t fd_bytes = 0;
  std::uint64_t offset = 0;  // bytes
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  std::uint32_t pitch = 0;   // bytes
  std::uint32_t format = 0;  // wl_shm_format

  friend bool operator==(const ShmLayout&, const ShmLayout&) = default;
};

// The format of wl_shm with these bytes, without alpha; nothing where it has none.
[[nodiscard]] std::optional<std::uint32_t> ShmFormatOf(color::Format format);

// Destroyed before `events`. The lock is that of `events`.
class ShmBuffer {
 public:
  // The caller may close the descriptor afterwards. kUnsupported beyond 2 GiB, the protocol's limit.
  static Result<std::unique_ptr<ShmBuffer>> Create(WaylandEvents& events, wl_shm* shm, const ShmLayout& layout);
  ~ShmBuffer();
  ShmBuffer(const ShmBuffer&) = delete;
  ShmBuffer& operator=(const ShmBuffer&) = delete;

  [[nodiscard]] const ShmLayout& layout() const { return layout_; }
  // Shows the buffer with the surface's next commit. With the lock.
  void Attach(wl_surface* surface);
  // True from Attach until the compositor has read the pixels for the last time. With the lock.
  [[nodiscard]] bool in_use() const { return in_use_; }

 private:
  ShmBuffer(WaylandEvents& events, const ShmLayout& layout) : events_(events), layout_(layout) {}

  WaylandEvents& events_;
  const ShmLayout layout_;
  wl_buffer* buffer_ = nullptr;
  bool in_use_ = false;
};

}  // namespace tandem::outputs
