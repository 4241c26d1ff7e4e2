// The VidPN that a driver recommends in place of the active one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/present/mode_commit.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// Asks for a program that has private data for the driver. `connected`: targets with a monitor, the most wanted first. The
// adapter is idle. PASSIVE_LEVEL, one thread. On success `recommended` has each source with a path once, its primary path first.
// STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN: the driver recommends nothing. STATUS_NOT_SUPPORTED: it has no such DDI.
// STATUS_DEVICE_REMOVED: it broke a rule. Else the driver's status.
[[nodiscard]] NTSTATUS AskForVidPn(Adapter& adapter, std::span<const ULONG> connected, std::span<std::byte> private_data,
                                   std::vector<PinnedSource>& recommended);

}  // namespace tandem::kernel
