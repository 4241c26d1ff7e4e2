// Surfaces of a test's Wayland compositor: what its clients request of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
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
    virtual clockid_t clock() = 0;  // of presentation times
  };
  // State that a commit applies.
  struct State {
    bool tears = false;
    std::int32_t width = 0;  // of the viewport; 0: the buffer's
    std::int32_t height = 0;
  };
  // Objects that are answered, by commit.
  struct Answers {
    std::vector<wl_resource*> pending;  // of the next commit
    std::vector<wl_resource*> due;      // of the last one
  };

  [[nodiscard]] static CompositorSurface& Of(wl_resource* surface) {
    return *static_cast<CompositorSurface*>(wl_resource_get_user_data(surface));
  }

  Host* host = nullptr;
  State pending;
  wl_resource* attached = nullptr;
  bool attaches = false;
  wl_resource* current = nullptr;
  std::size_t current_frame = 0;
  std::int64_t committed_at_ns = 0;  // by CLOCK_MONOTONIC
  wl_resource* on_screen = nullptr;  // since the last refresh
  Answers callbacks, feedbacks;
  bool has_tearing_control = false, has_viewport = false, has_scale = false, has_fifo = false;
};

template <const wl_interface* kType, const auto* kFunctions>
void BindGlobal(wl_client* client, void* data, std::uint32_t version, std::uint32_t id) {
  wl_resource_set_implementation(wl_resource_create(client, kType, static_cast<int>(version), id), kFunctions, data, nullptr);
}

// wl_compositor, and wp_presentation where the clients shall have it. `host` outlives the display.
void AddSurfaceGlobals(wl_display* display, CompositorSurface::Host& host, bool presentation);

}  // namespace tandem::outputs::testing
