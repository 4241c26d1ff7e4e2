#include "kernel/thunk/tdr_escape.h"

#include <cstddef>
#include <cstring>
#include <limits>

namespace tandem::kernel {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

// The program may change it meanwhile: read once.
template <class Data>
bool Read(const D3DKMT_ESCAPE& escape, std::size_t bytes, Data& data) {
  if (escape.pPrivateDriverData == nullptr || escape.PrivateDriverDataSize < bytes) return false;
  std::memcpy(&data, escape.pPrivateDriverData, bytes);
  return true;
}

NTSTATUS Debug(AdapterInstance& unit, const D3DKMT_ESCAPE& escape) {
  D3DKMT_TDRDBGCTRL_ESCAPE data{};
  if (!Read(escape, sizeof(data.TdrControl), data)) return STATUS_INVALID_PARAMETER;
  TimeoutRecovery& recovery = unit.scheduler().recovery();
  switch (data.TdrControl) {
    case D3DKMT_TDRDBGCTRLTYPE_FORCETDR:
    case D3DKMT_TDRDBGCTRLTYPE_GPUTDR:
      return recovery.ForceReset(TimeoutRecovery::ForcedReset::kAdapter, 0) ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
    case D3DKMT_TDRDBGCTRLTYPE_ENGINETDR:
      if (!Read(escape, sizeof(data), data) || data.NodeOrdinal >= unit.adapter().node_count()) return STATUS_INVALID_PARAMETER;
      return recovery.ForceReset(TimeoutRecovery::ForcedReset::kEngine, data.NodeOrdinal) ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
    case D3DKMT_TDRDBGCTRLTYPE_UNCONDITIONAL:
      recovery.SetLimit(std::numeric_limits<std::uint32_t>::max(), kNsPerSecond);
      return STATUS_SUCCESS;
    default: return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS Schedule(AdapterInstance& unit, const D3DKMT_ESCAPE& escape) {
  D3DKMT_VIDSCH_ESCAPE data{};
  // The virtual refresh rate is new in WDDM 2.9; older programs send the part before it.
  if (!Read(escape, offsetof(D3DKMT_VIDSCH_ESCAPE, VirtualRefreshRateControl), data)) return STATUS_INVALID_PARAMETER;
  switch (data.Type) {
    case D3DKMT_VIDSCHESCAPETYPE_TDRCONTROL:
      unit.scheduler().recovery().SetDetection(data.TdrControl != 0);
      return STATUS_SUCCESS;
    case D3DKMT_VIDSCHESCAPETYPE_CONFIGURE_TDR_LIMIT:
      unit.scheduler().recovery().SetLimit(data.TdrLimit.Count, data.TdrLimit.Time * kNsPerSecond);
      return STATUS_SUCCESS;
    default: return STATUS_NOT_SUPPORTED;
  }
}

}  // namespace

NTSTATUS TdrEscape(AdapterInstance& unit, const D3DKMT_ESCAPE& escape) {
  switch (escape.Type) {
    case D3DKMT_ESCAPE_TDRDBGCTRL: return Debug(unit, escape);
    case D3DKMT_ESCAPE_VIDSCH: return Schedule(unit, escape);
    default: return STATUS_NOT_SUPPORTED;
  }
}

}  // namespace tandem::kernel
