// Overlay checks: what the virtual display controller can scan out, and whether it still has the bandwidth.
#pragma once

#include <optional>

#include "drivers/processor/kmd/device.h"

#include <d3dkmddi.h>

namespace tandem::soft {

class SoftDisplay;

// The first plane that cannot be shown with those before it in its source's order; nothing when all can. Nothing is reserved.
[[nodiscard]] std::optional<UINT> FirstRefusedPlane(processor::Device& device, SoftDisplay& display,
                                                    const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check);

}  // namespace tandem::soft
