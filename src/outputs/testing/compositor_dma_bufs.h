// zwp_linux_dmabuf_v1 of a test's Wayland compositor, which maps the dma-bufs.
#pragma once

#include <atomic>
#include <cstdint>

#include <wayland-server-core.h>

#include "base/memory_map.h"
#include "outputs/testing/wayland_compositor.h"

namespace tandem::outputs::testing {

struct MappedDmaBuf {
  MemoryMap pages;
  std::uint64_t offset = 0;  // bytes from the pages' start to the first pixel
  std::uint32_t width = 0, height = 0, pitch = 0, format = 0;
  std::uint64_t modifier = 0;
};

// Outlives the display.
struct CompositorDmaBufs {
  explicit CompositorDmaBufs(const CompositorManners& how) : refuses(how.refuses_dma_bufs), manners(how) {}
  // Clients learn of XRGB8888 with one modifier, by events or by feedback, as the manners say.
  void AddGlobal(wl_display* display);
  [[nodiscard]] std::uint64_t modifier() const { return manners.reads_linear ? 0 : kTiledModifier; }

  std::atomic<bool> refuses;  // each buffer is answered with "failed"
  const CompositorManners manners;
};

// Null when the buffer is none of these.
[[nodiscard]] const MappedDmaBuf* DmaBufOf(wl_resource* buffer);

}  // namespace tandem::outputs::testing
