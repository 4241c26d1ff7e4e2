// Scan-out: primaries that are shown by the window system.
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {

NTSTATUS VulkanSetVidPnSourceAddress(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (args->VidPnSourceId >= miniport.vidpn_sources()) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  const auto* primary = static_cast<const Allocation*>(args->hAllocation);
  if (primary != nullptr && primary->data().kind != AllocationKind::kPrimary) return STATUS_INVALID_PARAMETER;
  miniport.display()->SetAddress(args->VidPnSourceId, primary, static_cast<std::uint64_t>(args->PrimaryAddress.QuadPart),
                                 args->Flags.FlipImmediate != 0);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanSetVidPnSourceVisibility(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (args->VidPnSourceId >= miniport.vidpn_sources()) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  miniport.display()->SetVisible(args->VidPnSourceId, args->Visible != FALSE);
  return STATUS_SUCCESS;
}

// The mode is the window's; it is taken from the primary that is shown.
NTSTATUS VulkanCommitVidPn(HANDLE, CONST DXGKARG_COMMITVIDPN*) { return STATUS_SUCCESS; }

NTSTATUS VulkanControlInterrupt(HANDLE, CONST DXGK_INTERRUPT_TYPE type, BOOLEAN) {
  return type == DXGK_INTERRUPT_CRTC_VSYNC || type == DXGK_INTERRUPT_DMA_COMPLETED || type == DXGK_INTERRUPT_DMA_PREEMPTED
             ? STATUS_SUCCESS
             : STATUS_NOT_SUPPORTED;
}

}  // namespace tandem::vulkan
