// Scan-out, vertical blanks and overlay checks.
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {
namespace {

bool IsWholeSurface(const RECT& rect, const AllocationData& data) {
  return rect.left == 0 && rect.top == 0 && rect.right == static_cast<LONG>(data.width) &&
         rect.bottom == static_cast<LONG>(data.height);
}

bool SameRect(const RECT& a, const RECT& b) {
  return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

// One plane, whole and unscaled: what a scan-out of this device shows.
bool CanShow(const Device& device, const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2& plane) {
  const auto* allocation = static_cast<const Allocation*>(plane.hAllocation);
  const auto& attributes = plane.PlaneAttributes;
  return allocation != nullptr && plane.VidPnSourceId < device.source_count() && plane.LayerIndex == 0 &&
         allocation->data.format != color::Format::kUnknown && attributes.Flags.VerticalFlip == 0 &&
         attributes.Flags.HorizontalFlip == 0 && attributes.Blend.AlphaBlend == 0 &&
         (attributes.Rotation == D3DDDI_ROTATION_IDENTITY || attributes.Rotation == 0) &&
         IsWholeSurface(attributes.SrcRect, allocation->data) && SameRect(attributes.SrcRect, attributes.DstRect);
}

}  // namespace

// DIRQL for flips: latches, and wakes the scan-out's thread.
NTSTATUS SoftSetVidPnSourceAddress(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEADDRESS* set) {
  auto& device = *static_cast<Device*>(adapter);
  ScanOut* scan_out = device.scan_out(set->VidPnSourceId);
  const auto* allocation = static_cast<const Allocation*>(set->hAllocation);
  if (scan_out == nullptr || allocation == nullptr) return STATUS_INVALID_PARAMETER;
  ScanOutFrame frame;
  frame.address = static_cast<std::uint64_t>(set->PrimaryAddress.QuadPart);
  frame.width = allocation->data.width;
  frame.height = allocation->data.height;
  frame.pitch = allocation->data.pitch;
  frame.format = allocation->data.format;
  const bool immediate = set->Flags.FlipImmediate != 0 || set->Flags.ModeChange != 0;
  scan_out->Program(frame, immediate ? FlipTiming::kImmediate : FlipTiming::kVerticalBlank);
  return STATUS_SUCCESS;
}

NTSTATUS SoftSetVidPnSourceVisibility(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* set) {
  ScanOut* scan_out = static_cast<Device*>(adapter)->scan_out(set->VidPnSourceId);
  if (scan_out == nullptr) return STATUS_INVALID_PARAMETER;
  scan_out->SetVisible(set->Visible != FALSE);
  return STATUS_SUCCESS;
}

NTSTATUS SoftGetScanLine(HANDLE adapter, DXGKARG_GETSCANLINE* get) {
  ScanOut* scan_out = static_cast<Device*>(adapter)->scan_out(get->VidPnTargetId);
  if (scan_out == nullptr) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  const ScanOut::Beam beam = scan_out->BeamPosition();
  get->InVerticalBlank = beam.in_vertical_blank ? TRUE : FALSE;
  get->ScanLine = beam.line;
  return STATUS_SUCCESS;
}

NTSTATUS SoftControlInterrupt(HANDLE adapter, CONST DXGK_INTERRUPT_TYPE type, BOOLEAN enable) {
  if (type != DXGK_INTERRUPT_CRTC_VSYNC) return STATUS_NOT_IMPLEMENTED;
  auto& device = *static_cast<Device*>(adapter);
  for (std::uint32_t source = 0; source < device.source_count(); ++source) {
    if (ScanOut* scan_out = device.scan_out(source)) scan_out->EnableInterrupt(enable != FALSE);
  }
  return STATUS_SUCCESS;
}

NTSTATUS SoftControlInterrupt3(HANDLE adapter, DXGKARG_CONTROLINTERRUPT3 control) {
  if (control.InterruptType != DXGK_INTERRUPT_CRTC_VSYNC) return STATUS_NOT_IMPLEMENTED;
  const bool enable = control.CrtcVsyncState == DXGK_VSYNC_ENABLE;
  if (control.VidPnSourceId == D3DDDI_ID_ALL) return SoftControlInterrupt(adapter, control.InterruptType, enable ? TRUE : FALSE);
  ScanOut* scan_out = static_cast<Device*>(adapter)->scan_out(control.VidPnSourceId);
  if (scan_out == nullptr) return STATUS_INVALID_PARAMETER;
  scan_out->EnableInterrupt(enable);
  return STATUS_SUCCESS;
}

NTSTATUS SoftSetPalette(HANDLE /*adapter*/, CONST DXGKARG_SETPALETTE* /*set*/) { return STATUS_NOT_SUPPORTED; }
NTSTATUS SoftSetPointerPosition(HANDLE /*adapter*/, CONST DXGKARG_SETPOINTERPOSITION* /*set*/) { return STATUS_SUCCESS; }
NTSTATUS SoftSetPointerShape(HANDLE /*adapter*/, CONST DXGKARG_SETPOINTERSHAPE* /*set*/) { return STATUS_NOT_SUPPORTED; }

NTSTATUS SoftCheckMultiPlaneOverlaySupport3(HANDLE adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* check) {
  const auto& device = *static_cast<Device*>(adapter);
  check->ReturnInfo.Value = 0;
  check->Supported = FALSE;
  if (check->PlaneCount > 1) {
    check->ReturnInfo.FailingPlane = 1;
    return STATUS_SUCCESS;
  }
  check->Supported = check->PlaneCount == 1 && check->PostCompositionCount == 0 && check->ppPlanes[0] != nullptr &&
                             CanShow(device, *check->ppPlanes[0])
                         ? TRUE
                         : FALSE;
  return STATUS_SUCCESS;
}

}  // namespace tandem::soft
