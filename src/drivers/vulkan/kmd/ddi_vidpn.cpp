// Display modes. A copy with Rotate turns the content; a window shows the primary turned by the offset of its path.
#include "drivers/common/vidpn.h"

#include "base/limits.h"
#include "color/blit.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {

NTSTATUS VulkanIsSupportedVidPn(HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* args) {
  const auto& miniport = *static_cast<Miniport*>(adapter);
  return drivers::IsSupportedVidPn(miniport.callbacks(), miniport.vidpn_sources(), *args);
}

NTSTATUS VulkanEnumVidPnCofuncModality(HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  return drivers::EnumVidPnCofuncModality(static_cast<Miniport*>(adapter)->callbacks(), *args);
}

// The window has its own extent; the picture's is taken from the primary that is shown.
NTSTATUS VulkanCommitVidPn(HANDLE adapter, CONST DXGKARG_COMMITVIDPN* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  drivers::SourceModes modes;
  const NTSTATUS status = drivers::ReadCommit(miniport.callbacks(), miniport.vidpn_sources(), *args, modes);
  if (!NT_SUCCESS(status)) return status;
  for (std::uint32_t source = 0; source < miniport.vidpn_sources(); ++source) {
    const drivers::SourceMode& mode = modes[source];
    if (mode.count == 0) continue;
    miniport.display()->Connect(source, mode.targets());
    miniport.Rotate(source, mode.rotation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS VulkanUpdateActiveVidPnPresentPath(HANDLE adapter, CONST DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  drivers::ActivePath path;
  if (const NTSTATUS status = drivers::ReadActivePath(miniport.vidpn_sources(), *args, path); !NT_SUCCESS(status)) return status;
  if (args->VidPnPresentPathInfo.GammaRamp.Type != D3DDDI_GAMMARAMP_DEFAULT) return STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED;
  miniport.Rotate(path.source, path.rotation);
  miniport.display()->Turn(path.target);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanRecommendFunctionalVidPn(HANDLE, CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN*) {
  return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

}  // namespace tandem::vulkan
