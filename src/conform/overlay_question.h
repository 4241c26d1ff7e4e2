// One plane, and whether the display adapter shows it.
#pragma once

#include "conform/user_device.h"

namespace tandem::conform {

// With the flag StaticCheck or, as before a present, without it.
enum class OverlayQuestion : std::uint8_t { kStatic, kPresent };

// Neither turned nor blended, clipped to its destination.
[[nodiscard]] D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 PlaneAttributes(const RECT& source, const RECT& destination);

// D3DKMTCheckMultiPlaneOverlaySupport3 of this plane alone, on source 0.
[[nodiscard]] bool AskOverlay(const UserDevice& user, const Surface& surface, D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes,
                              OverlayQuestion question);

}  // namespace tandem::conform
