// wl_buffers over dma-bufs, which the compositor's GPU or its display reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "outputs/wayland/dma_buf_feedback.h"
#include "outputs/wayland/events.h"

namespace tandem::outputs {

inline constexpr std::uint32_t kDrmFormatXrgb8888 = 0x34325258;  // "XR24"
inline constexpr std::uint32_t kDrmFormatArgb8888 = 0x34325241;  // "AR24"

// One plane.
struct DmaBufLayout {
  int fd = -1;               // a memfd, or a dma-buf
  bool is_dma_buf = false;   // otherwise one is made over the memfd's pages
  std::uint64_t offset = 0;  // bytes; in a memfd a multiple of the page size
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  std::uint32_t pitch = 0;   // bytes
  DmaBufFormat format;
};

struct DmaBuffer {
  wl_buffer* buffer = nullptr;  // of the queue of `events`; the caller destroys it
  UniqueFd dma_buf;
};

// zwp_linux_dmabuf_v1. Destroyed after WaylandEvents::Stop and before `events`.
class WaylandDmaBufs {
 public:
  // With the lock. Takes `proxy`; the formats are known two round trips later.
  WaylandDmaBufs(WaylandEvents& events, zwp_linux_dmabuf_v1* proxy);
  ~WaylandDmaBufs();
  WaylandDmaBufs(const WaylandDmaBufs&) = delete;
  WaylandDmaBufs& operator=(const WaylandDmaBufs&) = delete;

  // True if the compositor reads such dma-bufs.
  [[nodiscard]] bool Takes(const DmaBufFormat& format) const;
  // Asks the compositor, and waits until it takes or refuses: kUnsupported when it refuses, does not know the format or the
  // kernel makes no dma-buf; kSurfaceLost.
  [[nodiscard]] Result<DmaBuffer> Create(const DmaBufLayout& layout) const;
  // Empty if the compositor took a small one of shared pages; otherwise a sentence that says why not.
  [[nodiscard]] std::string WhyNoSharedPages() const;
  // The compositor's device and preference, for people; empty if it tells neither.
  [[nodiscard]] std::string Preference() const;

 private:
  static const zwp_linux_dmabuf_v1_listener kFormats;
  static const zwp_linux_dmabuf_feedback_v1_listener kFeedback;

  WaylandEvents& events_;
  zwp_linux_dmabuf_v1* const proxy_;
  zwp_linux_dmabuf_feedback_v1* feedback_proxy_ = nullptr;  // null before version 4
  DmaBufFeedback feedback_;
  std::vector<DmaBufFormat> formats_;  // before version 4
};

}  // namespace tandem::outputs
