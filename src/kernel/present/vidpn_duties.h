// The duties of a driver while it has a VidPN.
#pragma once

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/vidpn.h"

namespace tandem::kernel {

[[nodiscard]] VidPnDemands DemandsOn(const Adapter& adapter);

// Reports each fault as the broken rule that it is. `ddi` names the DDI that had the VidPN.
void ReportFaults(Adapter& adapter, const char* ddi, const VidPnFaults& faults);

// STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED when DxgkDdiIsSupportedVidPn says no, STATUS_DEVICE_REMOVED when the driver broke
// a rule, else its status. A driver without the DDI supports all.
[[nodiscard]] NTSTATUS AskSupport(Adapter& adapter, VidPn& vidpn);

}  // namespace tandem::kernel
