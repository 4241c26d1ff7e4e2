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

NTSTATUS VulkanSetPalette(HANDLE adapter, CONST DXGKARG_SETPALETTE* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  const NTSTATUS status = drivers::CheckPalette(*args, miniport.vidpn_sources());
  if (NT_SUCCESS(status)) miniport.blits().SetPalette(*args);
  return status;
}

NTSTATUS VulkanGetScanLine(HANDLE adapter, DXGKARG_GETSCANLINE* args) {
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (args->VidPnTargetId >= miniport.vidpn_sources()) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  const Display::Beam beam = miniport.display()->BeamOf(args->VidPnTargetId);
  args->InVerticalBlank = beam.in_vertical_blank ? TRUE : FALSE;
  args->ScanLine = beam.line;
  return STATUS_SUCCESS;
}

// The others cannot be turned off: their fences are waited for.
NTSTATUS VulkanControlInterrupt(HANDLE adapter, CONST DXGK_INTERRUPT_TYPE type, BOOLEAN enable) {
  if (type != DXGK_INTERRUPT_CRTC_VSYNC) return STATUS_NOT_IMPLEMENTED;
  auto& miniport = *static_cast<Miniport*>(adapter);
  if (miniport.display() != nullptr) miniport.display()->EnableInterrupts(enable != FALSE);
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
