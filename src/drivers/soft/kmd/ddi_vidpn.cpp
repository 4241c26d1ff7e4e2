// Display modes. A copy with Rotate turns the content; scan-out turns it by the offset of its path.
#include "drivers/common/vidpn.h"

#include "color/blit.h"
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {

NTSTATUS SoftIsSupportedVidPn(HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* query) {
  const auto& device = *static_cast<Device*>(adapter);
  return drivers::IsSupportedVidPn(device.kernel(), device.source_count(), *query);
}

NTSTATUS SoftEnumVidPnCofuncModality(HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* enumerate) {
  return drivers::EnumVidPnCofuncModality(static_cast<Device*>(adapter)->kernel(), *enumerate);
}

NTSTATUS SoftRecommendFunctionalVidPn(HANDLE /*adapter*/, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* /*recommend*/) {
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

NTSTATUS SoftCommitVidPn(HANDLE adapter, CONST DXGKARG_COMMITVIDPN* commit) {
  auto& device = *static_cast<Device*>(adapter);
  drivers::SourceModes modes;
  const NTSTATUS status = drivers::ReadCommit(device.kernel(), device.source_count(), *commit, modes);
  if (!NT_SUCCESS(status)) return status;
  for (std::uint32_t source = 0; source < device.source_count(); ++source) {
    const drivers::SourceMode& mode = modes[source];
    if (mode.count == 0) continue;
    device.Connect(source, mode.targets());
    device.Commit(source, static_cast<const Allocation*>(commit->hPrimaryAllocation), mode.rotation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS SoftUpdateActiveVidPnPresentPath(HANDLE adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* update) {
  auto& device = *static_cast<Device*>(adapter);
  drivers::ActivePath path;
  if (const NTSTATUS status = drivers::ReadActivePath(device.source_count(), *update, path); !NT_SUCCESS(status)) return status;
  device.Rotate(path.source, path.rotation);
  device.scan_out(path.target.id)->SetRotation(path.target.offset);
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
