// A program's Wayland surface as an output. The compositor reads the adapters' shared pages directly.
#pragma once

#include <memory>

#include "base/result.h"
#include "outputs/output.h"

struct wl_display;
struct wl_surface;

namespace tandem::outputs {

struct WaylandTarget {
  wl_display* display = nullptr;  // the program's connection; it may be closed before the output, which is then lost
  wl_surface* surface = nullptr;  // exists for longer than the output, and has a role and its first configuration before Show
};

// Uses the program's connection with a queue of its own, as a Vulkan driver does. Surfaces in a memfd with eight bits a channel
// are read by the compositor where they are; others are converted into pages of the output's own, and LastShowCopiedBytes counts
// these bytes. A surface is read until Show of another one returns. Where the compositor keeps one for longer than a second after
// that, as some do with a window that nobody sees, frames are copied until it gives the surface back.
// Errors: kUnsupported without libwayland-client 1.20 or wl_shm, kSurfaceLost when the compositor does not answer.
[[nodiscard]] Result<std::unique_ptr<Output>> CreateWaylandOutput(const WaylandTarget& target);

}  // namespace tandem::outputs
