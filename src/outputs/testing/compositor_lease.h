// wp_drm_lease_device_v1 of a test's Wayland compositor.
#pragma once

#include <wayland-server-core.h>

#include "outputs/testing/wayland_compositor.h"

namespace tandem::outputs::testing {

// One device with one connector; does nothing in a build without the protocol. `manners` outlives the display.
void AddLeaseGlobal(wl_display* display, const LeaseManners& manners);

}  // namespace tandem::outputs::testing
