// zwp_linux_dmabuf_v1 of a test's Wayland compositor, which maps the dma-bufs.
#pragma once

#include <atomic>
#include <cstdint>

#include <wayland-server-core.h>

#include "base/memory_map.h"

namespace tandem::outputs::testing {

struct MappedDmaBuf {
  MemoryMap pages;
  std::uint32_t width = 0, height = 0, pitch = 0, format = 0;
};

// Linear XRGB8888 alone. While `refuses` is true each buffer is answered with "failed". `refuses` outlives the display.
void AddDmaBufGlobal(wl_display* display, std::atomic<bool>& refuses);

// Null when the buffer is none of these.
[[nodiscard]] const MappedDmaBuf* DmaBufOf(wl_resource* buffer);

}  // namespace tandem::outputs::testing
