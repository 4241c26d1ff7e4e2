// zwp_linux_dmabuf_feedback_v1 of a test's Wayland compositor.
#pragma once

#include <cstdint>

#include <wayland-server-core.h>

#include "outputs/testing/wayland_compositor.h"

namespace tandem::outputs::testing {

// One tranche with XRGB8888 and `modifier`, and one with formats that are not XRGB8888, spoiled by `fault`.
void SendFeedback(wl_resource* feedback, std::uint64_t modifier, FeedbackFault fault);

}  // namespace tandem::outputs::testing
