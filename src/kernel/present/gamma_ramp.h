// The gamma ramp of a source that shows something.
#pragma once

#include "kernel/adapter/adapter.h"
#include "kernel/present/mode_commit.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// Gives each active path of the source the ramp: the default one, or D3DDDI_GAMMARAMP_RGB256x3x16. The adapter is idle.
// PASSIVE_LEVEL, one thread. STATUS_INVALID_PARAMETER for data of a wrong size, STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED for a
// type that DXGK_DRIVERCAPS.GammaRampCaps lack, else the driver's status; paths before the refused one have the ramp.
[[nodiscard]] NTSTATUS SetGammaRamp(Adapter& adapter, const PinnedSource& source, const D3DKMDT_GAMMA_RAMP& ramp);

}  // namespace tandem::kernel
