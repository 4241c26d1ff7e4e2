// wl_buffers over dma-bufs of the shared pages, which the compositor's GPU reads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "outputs/wayland/events.h"
#include "outputs/wayland/globals.h"

namespace tandem::outputs {

// One plane of linear pixels.
struct DmaBufLayout {
  int fd = -1;               // the memfd
  std::uint64_t offset = 0;  // bytes, a multiple of the page size
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  std::uint32_t pitch = 0;   // bytes
  std::uint32_t fourcc = 0;  // DRM format
};

// Asks the compositor, and waits until it takes or refuses: kUnsupported when it refuses, does not know the format with the
// linear modifier or the kernel makes no dma-buf; kSurfaceLost. The buffer belongs to the queue of `events`; the caller destroys
// it.
[[nodiscard]] Result<wl_buffer*> CreateDmaBuffer(WaylandEvents& events, const WaylandGlobals& globals,
                                                 const DmaBufLayout& layout);

// Empty if the compositor took a small one; otherwise a sentence that says why not.
[[nodiscard]] std::string WhyNoDmaBufs(WaylandEvents& events, const WaylandGlobals& globals);

}  // namespace tandem::outputs
