// Planes of overlays as user mode writes them, for the driver.
#pragma once

#include "kernel/present/overlay_checks.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

[[nodiscard]] bool IsStatic(const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes);
// Dirty rectangles are left out: nothing is drawn by asking or flipping.
void ToDriverAttributes(const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3& wanted, DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& out);
void ToDriverPostComposition(const D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION& wanted,
                             DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION& out);

}  // namespace tandem::kernel
