// Asks whether the display adapter can show one plane.
#pragma once

#include "conform/user_device.h"

namespace tandem::conform {

// kStatic sets the flag StaticCheck; kPresent asks without it, as before a present.
enum class OverlayQuestion : std::uint8_t { kStatic, kPresent };

// A plane without rotation or blending, clipped to its destination.
[[nodiscard]] D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 PlaneAttributes(const RECT& source, const RECT& destination);

// Calls D3DKMTCheckMultiPlaneOverlaySupport3 for this plane alone, on source 0.
[[nodiscard]] bool AskOverlay(const UserDevice& user, const Surface& surface, D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes,
                              OverlayQuestion question);

}  // namespace tandem::conform
