#include "kernel/present/vidpn_duties.h"

#include <fmt/core.h>

#include "kernel/adapter/rules.h"
#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {

// A display-only driver has no nodes, and Windows itself supports Offset0 for it.
VidPnDemands DemandsOn(const Adapter& adapter) {
  const DRIVER_INITIALIZATION_DATA& ddi = adapter.ddi();
  const bool display_only = adapter.node_count() == 0;
  VidPnDemands demands;
  if (ddi.DxgkDdiControlInterrupt != nullptr) {
    demands.frequencies = VidPnDemands::Frequencies::kSpecified;
  } else if (display_only) {
    demands.frequencies = VidPnDemands::Frequencies::kLeftOpen;
  }
  demands.offset_of_primary = !display_only && ddi.Version >= DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION;
  return demands;
}

void ReportFaults(Adapter& adapter, const char* ddi, const VidPnFaults& faults) {
  if (faults.kept != 0) {
    adapter.ReportViolation(rules::kVidPnReleased,
                            fmt::format("{} objects of a VidPN were not released when {} returned.", faults.kept, ddi));
  }
  if (faults.pivots != 0)
    adapter.ReportViolation(rules::kVidPnPivot, fmt::format("{} assigned a mode set in place of the pivot's.", ddi));
  if (faults.unpinned != 0)
    adapter.ReportViolation(rules::kVidPnPinned, fmt::format("{} assigned a mode set without the pinned mode.", ddi));
  if (faults.frequencies != 0) {
    const bool tells = adapter.ddi().DxgkDdiControlInterrupt != nullptr;
    adapter.ReportViolation(tells ? rules::kFrequencySpecified : rules::kFrequencyLeftOpen,
                            fmt::format("{} added a target mode that {}; the driver has {}DxgkDdiControlInterrupt.", ddi,
                                        tells ? "leaves a frequency open" : "specifies a frequency", tells ? "" : "no "));
  }
  if (faults.offsets != 0)
    adapter.ReportViolation(rules::kOffsetOfPrimary, fmt::format("{} left Offset0 out of the primary path's rotations.", ddi));
}

NTSTATUS AskSupport(Adapter& adapter, VidPn& vidpn) {
  const auto is_supported = adapter.ddi().DxgkDdiIsSupportedVidPn;
  if (is_supported == nullptr) return STATUS_SUCCESS;
  DXGKARG_ISSUPPORTEDVIDPN question{vidpn.Lend(VidPnAccess::kRead), FALSE};
  const NTSTATUS status = CallDdi(adapter, Ddi::kIsSupportedVidPn, is_supported, adapter.miniport_context(), &question);
  ReportFaults(adapter, "DxgkDdiIsSupportedVidPn", vidpn.Return());
  if (!adapter.alive()) return STATUS_DEVICE_REMOVED;
  if (!NT_SUCCESS(status)) return status;
  return question.IsVidPnSupported ? STATUS_SUCCESS : STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED;
}

}  // namespace tandem::kernel
