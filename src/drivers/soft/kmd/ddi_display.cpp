// Scan-out and vertical blanks.
#include "drivers/soft/kmd/ddi.h"
#include "drivers/soft/kmd/device.h"

namespace tandem::soft {
// DIRQL for flips: latches, and wakes the scan-outs' threads. Of a source's targets the primary one flips at its vertical blank
// and the others at once.
NTSTATUS SoftSetVidPnSourceAddress(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEADDRESS* set) {
  auto& device = *static_cast<Device*>(adapter);
  const auto* allocation = static_cast<const Allocation*>(set->hAllocation);
  if (set->VidPnSourceId >= device.source_count() || allocation == nullptr || !device.ScansOut(allocation->data.format)) {
    return STATUS_INVALID_PARAMETER;
  }
  ScanOutFrame frame;
  frame.address = static_cast<std::uint64_t>(set->PrimaryAddress.QuadPart);
  frame.width = allocation->data.width;
  frame.height = allocation->data.height;
  frame.pitch = allocation->data.pitch;
  frame.format = allocation->data.format;
  device.planes(set->VidPnSourceId).Clear();
  const bool immediate = set->Flags.FlipImmediate != 0 || set->Flags.ModeChange != 0;
  device.ForEachTarget(set->VidPnSourceId, [&](ScanOut& scan_out, bool primary) {
    scan_out.Program(frame, immediate || !primary ? FlipTiming::kImmediate : FlipTiming::kVerticalBlank);
  });
  return STATUS_SUCCESS;
}

// Shows planes that lie on each other. They were asked about before.
NTSTATUS SoftSetVidPnSourceAddressWithMultiPlaneOverlay3(HANDLE adapter,
                                                         DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* set) {
  auto& device = *static_cast<Device*>(adapter);
  if (set->VidPnSourceId >= device.source_count() || set->PlaneCount == 0) return STATUS_INVALID_PARAMETER;
  const auto frame = device.planes(set->VidPnSourceId).Flip(device, *set);
  if (!frame) return STATUS_INVALID_PARAMETER;
  const bool immediate = set->ppPlanes[0]->InputFlags.FlipImmediate != 0;
  device.ForEachTarget(set->VidPnSourceId, [&](ScanOut& scan_out, bool primary) {
    scan_out.Program(*frame, immediate || !primary ? FlipTiming::kImmediate : FlipTiming::kVerticalBlank);
  });
  return STATUS_SUCCESS;
}

NTSTATUS SoftSetVidPnSourceVisibility(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* set) {
  auto& device = *static_cast<Device*>(adapter);
  if (set->VidPnSourceId >= device.source_count()) return STATUS_INVALID_PARAMETER;
  device.planes(set->VidPnSourceId).Clear();
  device.ForEachTarget(set->VidPnSourceId, [&](ScanOut& scan_out, bool) { scan_out.SetVisible(set->Visible != FALSE); });
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
  auto& device = *static_cast<Device*>(adapter);
  if (control.VidPnSourceId >= device.source_count()) return STATUS_INVALID_PARAMETER;
  device.ForEachTarget(control.VidPnSourceId, [&](ScanOut& scan_out, bool) { scan_out.EnableInterrupt(enable); });
  return STATUS_SUCCESS;
}

NTSTATUS SoftSetPalette(HANDLE adapter, CONST DXGKARG_SETPALETTE* set) {
  auto& device = *static_cast<Device*>(adapter);
  const NTSTATUS status = drivers::CheckPalette(*set, device.source_count());
  if (NT_SUCCESS(status)) device.SetPalette(*set);
  return status;
}

NTSTATUS SoftSetPointerPosition(HANDLE /*adapter*/, CONST DXGKARG_SETPOINTERPOSITION* /*set*/) { return STATUS_SUCCESS; }
NTSTATUS SoftSetPointerShape(HANDLE /*adapter*/, CONST DXGKARG_SETPOINTERSHAPE* /*set*/) { return STATUS_NOT_SUPPORTED; }

}  // namespace tandem::soft
