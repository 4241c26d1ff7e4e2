// Protocols about when and how large a surface is shown, of a test's Wayland compositor.
#pragma once

#include <wayland-server-core.h>

namespace tandem::outputs::testing {

// wp_tearing_control_manager_v1. Surfaces are CompositorSurfaces.
void AddTearingGlobal(wl_display* display);

// wp_fifo_manager_v1, where the build has its protocol. Barriers are requests alone: each commit is shown at once.
void AddFifoGlobal(wl_display* display);

// wp_viewporter and wp_fractional_scale_manager_v1, which prefers 1.5.
void AddScaleGlobals(wl_display* display);

}  // namespace tandem::outputs::testing
