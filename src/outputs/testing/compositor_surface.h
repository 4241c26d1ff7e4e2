// Surfaces of a test's Wayland compositor: what its clients request of them.
#pragma once

#include <cstddef>
#include <vector>

// wayland-scanner's headers need this one before them.
#include <wayland-server-core.h>

#include <protocols/presentation-time-server.h>
#include <protocols/wayland-server.h>

namespace tandem::outputs::testing {

// One thread, that of the compositor.
struct CompositorSurface {
  class Host {
   public:
    virtual ~Host() = default;
    virtual void Commit(CompositorSurface& surface) = 0;
    virtual std::vector<CompositorSurface*>& surfaces() = 0;
  };

  Host* host = nullptr;
  wl_resource* attached = nullptr;
  bool attaches = false;
  wl_resource* current = nullptr;
  std::size_t current_frame = 0;
  wl_resource* on_screen = nullptr;  // since the last refresh
  std::vector<wl_resource*> callbacks, feedbacks;          // of the next commit
  std::vector<wl_resource*> due_callbacks, due_feedbacks;  // of the last one
};

// wl_compositor, and wp_presentation where the clients shall have it. `host` outlives the display.
void AddSurfaceGlobals(wl_display* display, CompositorSurface::Host& host, bool presentation);

}  // namespace tandem::outputs::testing
