// Display modes. A copy with Rotate turns the content; scan-out turns it by the offset of its path.
#include <memory>

#include "drivers/common/vidpn.h"
#include "drivers/common/vidpn_modes.h"

#include "color/blit.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {

NTSTATUS ProcessorIsSupportedVidPn(HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* query) {
  const auto& device = *static_cast<Device*>(adapter);
  return drivers::IsSupportedVidPn(device.kernel(), device.source_count(), *query);
}

NTSTATUS ProcessorEnumVidPnCofuncModality(HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* enumerate) {
  return drivers::EnumVidPnCofuncModality(static_cast<Device*>(adapter)->kernel(), *enumerate);
}

NTSTATUS ProcessorRecommendFunctionalVidPn(HANDLE /*adapter*/, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* /*recommend*/) {
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

NTSTATUS ProcessorRecommendMonitorModes(HANDLE adapter, CONST DXGKARG_RECOMMENDMONITORMODES* recommend) {
  auto& device = *static_cast<Device*>(adapter);
  if (recommend->VideoPresentTargetId >= device.source_count()) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  const auto mode = device.display().PreferredMode(recommend->VideoPresentTargetId);
  return mode ? drivers::AddMonitorMode(*recommend, mode->width, mode->height, mode->refresh_period_ns) : STATUS_SUCCESS;
}

NTSTATUS ProcessorCommitVidPn(HANDLE adapter, CONST DXGKARG_COMMITVIDPN* commit) {
  auto& device = *static_cast<Device*>(adapter);
  drivers::SourceModes modes;
  const NTSTATUS status = drivers::ReadCommit(device.kernel(), device.source_count(), *commit, modes);
  if (!NT_SUCCESS(status)) return status;
  for (std::uint32_t source = 0; source < device.source_count(); ++source) {
    const drivers::SourceMode& mode = modes[source];
    if (mode.count == 0) continue;
    device.Connect(source, mode.targets());
    for (const drivers::PathTarget& target : mode.targets()) device.display().SetGammaRamp(target.id, nullptr);
    device.Commit(source, static_cast<const Allocation*>(commit->hPrimaryAllocation), mode.rotation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorUpdateActiveVidPnPresentPath(HANDLE adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* update) {
  auto& device = *static_cast<Device*>(adapter);
  drivers::ActivePath path;
  if (const NTSTATUS status = drivers::ReadActivePath(device.source_count(), *update, path); !NT_SUCCESS(status)) return status;
  const D3DKMDT_GAMMA_RAMP& ramp = update->VidPnPresentPathInfo.GammaRamp;
  if (ramp.Type != D3DDDI_GAMMARAMP_DEFAULT && !device.display().takes_gamma_ramps())
    return STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED;
  device.Rotate(path.source, path.rotation);
  device.display().SetRotation(path.target.id, path.target.offset);
  const bool has_values = ramp.Type == D3DDDI_GAMMARAMP_RGB256x3x16;
  device.display().SetGammaRamp(
      path.target.id, has_values ? std::make_shared<const D3DDDI_GAMMA_RAMP_RGB256x3x16>(*ramp.Data.pRgb256x3x16) : nullptr);
  return STATUS_SUCCESS;
}

}  // namespace tandem::processor
