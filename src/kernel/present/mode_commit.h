// The commit of one source's mode: its VidPN is negotiated with the driver and made functional.
#pragma once

#include <cstdint>
#include <span>

#include "kernel/adapter/adapter.h"
#include "kernel/kernel.h"
#include "kernel/memory/allocation.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// Commits a VidPN in which `primary` feeds `targets`, its content turned by `rotation`. The adapter is idle. PASSIVE_LEVEL.
// STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY without targets, STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED for a rotation that the
// driver does not report, STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED, or the driver's status.
[[nodiscard]] NTSTATUS CommitMode(Adapter& adapter, std::uint32_t vidpn_source, std::span<const SourceTarget> targets,
                                  const Allocation& primary, D3DDDI_ROTATION rotation);

}  // namespace tandem::kernel
