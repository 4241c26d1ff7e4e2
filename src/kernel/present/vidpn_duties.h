// What a driver owes while it has a VidPN.
#pragma once

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/vidpn.h"

namespace tandem::kernel {

[[nodiscard]] VidPnDemands DemandsOn(const Adapter& adapter);

// Reports each fault as the broken rule that it is. `ddi` names the DDI that had the VidPN.
void ReportFaults(Adapter& adapter, const char* ddi, const VidPnFaults& faults);

}  // namespace tandem::kernel
