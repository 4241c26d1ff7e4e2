// Scan-out, vertical blanks and overlay checks.
#include <algorithm>

#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {
namespace {

bool SameRect(const RECT& a, const RECT& b) {
  return a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom;
}

// The picture leaves as it was put together.
bool IsNothing(const DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION& post) {
  return post.Flags.VerticalFlip == 0 && post.Flags.HorizontalFlip == 0 &&
         (post.Rotation == D3DDDI_ROTATION_IDENTITY || post.Rotation == 0) && SameRect(post.SrcRect, post.DstRect);
}

}  // namespace

// DIRQL for flips: latches, and wakes the scan-outs' threads. Of a source's targets the primary one flips at its vertical blank
// and the others at once.
NTSTATUS ProcessorSetVidPnSourceAddress(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEADDRESS* set) {
  auto& device = *static_cast<Device*>(adapter);
  const auto* allocation = static_cast<const Allocation*>(set->hAllocation);
  if (set->VidPnSourceId >= device.source_count() || allocation == nullptr ||
      !device.display().ScansOut(allocation->data.format)) {
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
  device.ForEachTarget(set->VidPnSourceId, [&](std::uint32_t target, bool primary) {
    device.display().Program(target, frame, immediate || !primary ? FlipTiming::kImmediate : FlipTiming::kVerticalBlank);
  });
  return STATUS_SUCCESS;
}

// Shows planes that lie on each other. They were asked about before.
NTSTATUS ProcessorSetVidPnSourceAddressWithMultiPlaneOverlay3(HANDLE adapter,
                                                              DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* set) {
  auto& device = *static_cast<Device*>(adapter);
  if (set->VidPnSourceId >= device.source_count() || set->PlaneCount == 0) return STATUS_INVALID_PARAMETER;
  const auto frame = device.planes(set->VidPnSourceId).Flip(device, *set);
  if (!frame) return STATUS_INVALID_PARAMETER;
  const bool immediate = set->ppPlanes[0]->InputFlags.FlipImmediate != 0;
  device.ForEachTarget(set->VidPnSourceId, [&](std::uint32_t target, bool primary) {
    device.display().Program(target, *frame, immediate || !primary ? FlipTiming::kImmediate : FlipTiming::kVerticalBlank);
  });
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorSetVidPnSourceVisibility(HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* set) {
  auto& device = *static_cast<Device*>(adapter);
  if (set->VidPnSourceId >= device.source_count()) return STATUS_INVALID_PARAMETER;
  device.planes(set->VidPnSourceId).Clear();
  device.ForEachTarget(set->VidPnSourceId,
                       [&](std::uint32_t target, bool) { device.display().SetVisible(target, set->Visible != FALSE); });
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorGetScanLine(HANDLE adapter, DXGKARG_GETSCANLINE* get) {
  auto& device = *static_cast<Device*>(adapter);
  if (get->VidPnTargetId >= device.source_count()) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  const Beam beam = device.display().BeamPosition(get->VidPnTargetId);
  get->InVerticalBlank = beam.in_vertical_blank ? TRUE : FALSE;
  get->ScanLine = beam.line;
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorControlInterrupt(HANDLE adapter, CONST DXGK_INTERRUPT_TYPE type, BOOLEAN enable) {
  if (type != DXGK_INTERRUPT_CRTC_VSYNC) return STATUS_NOT_IMPLEMENTED;
  auto& device = *static_cast<Device*>(adapter);
  for (std::uint32_t source = 0; source < device.source_count(); ++source) {
    device.display().EnableInterrupt(source, enable != FALSE);
  }
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorControlInterrupt3(HANDLE adapter, CONST DXGKARG_CONTROLINTERRUPT3* control) {
  if (control->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC) return STATUS_NOT_IMPLEMENTED;
  const bool enable = control->CrtcVsyncState == DXGK_VSYNC_ENABLE;
  if (control->VidPnSourceId == D3DDDI_ID_ALL)
    return ProcessorControlInterrupt(adapter, control->InterruptType, enable ? TRUE : FALSE);
  auto& device = *static_cast<Device*>(adapter);
  if (control->VidPnSourceId >= device.source_count()) return STATUS_INVALID_PARAMETER;
  device.ForEachTarget(control->VidPnSourceId,
                       [&](std::uint32_t target, bool) { device.display().EnableInterrupt(target, enable); });
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorSetPalette(HANDLE adapter, CONST DXGKARG_SETPALETTE* set) {
  auto& device = *static_cast<Device*>(adapter);
  const NTSTATUS status = drivers::CheckPalette(*set, device.source_count());
  if (NT_SUCCESS(status)) device.SetPalette(*set);
  return status;
}

NTSTATUS ProcessorSetPointerPosition(HANDLE adapter, CONST DXGKARG_SETPOINTERPOSITION* set) {
  auto& device = *static_cast<Device*>(adapter);
  if (set->VidPnSourceId >= device.source_count()) return STATUS_INVALID_PARAMETER;
  if (device.display().pointer().shapes.Value == 0) return STATUS_NOT_SUPPORTED;
  device.ForEachTarget(set->VidPnSourceId,
                       [&](std::uint32_t target, bool) { device.display().SetPointerPosition(target, *set); });
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorSetPointerShape(HANDLE adapter, CONST DXGKARG_SETPOINTERSHAPE* set) {
  auto& device = *static_cast<Device*>(adapter);
  if (set->VidPnSourceId >= device.source_count()) return STATUS_INVALID_PARAMETER;
  if ((device.display().pointer().shapes.Value & set->Flags.Value) == 0) return STATUS_NOT_SUPPORTED;
  device.ForEachTarget(set->VidPnSourceId, [&](std::uint32_t target, bool) { device.display().SetPointerShape(target, *set); });
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorSystemDisplayEnable(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                      PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS /*flags*/, UINT* width, UINT* height,
                                      D3DDDIFORMAT* format) {
  auto& device = *static_cast<Device*>(context);
  if (target >= device.source_count()) return STATUS_NOT_SUPPORTED;
  SystemFrame frame;
  if (const NTSTATUS status = device.display().EnableSystemDisplay(target, frame); !NT_SUCCESS(status)) return status;
  *width = frame.width;
  *height = frame.height;
  *format = D3DDDIFMT_A8R8G8B8;
  return STATUS_SUCCESS;
}

VOID ProcessorSystemDisplayWrite(PVOID context, PVOID source, UINT width, UINT height, UINT stride, UINT x, UINT y) {
  auto& device = *static_cast<Device*>(context);
  device.display().WriteSystemDisplay({static_cast<const std::byte*>(source), width, height, stride, x, y});
}

// The answer stands alone: it depends on what is shown now and changes nothing, with StaticCheck or without.
NTSTATUS ProcessorCheckMultiPlaneOverlaySupport3(HANDLE adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* check) {
  auto& device = *static_cast<Device*>(adapter);
  check->ReturnInfo.Value = 0;
  check->Supported = FALSE;
  if (check->PlaneCount == 0 ||
      std::any_of(check->ppPlanes, check->ppPlanes + check->PlaneCount, [](const auto* plane) { return plane == nullptr; })) {
    return STATUS_SUCCESS;
  }
  for (UINT i = 0; i < check->PostCompositionCount; ++i) {
    if (!IsNothing(check->ppPostComposition[i]->PostComposition)) return STATUS_SUCCESS;
  }
  const auto refused = device.display().FirstRefused(*check);
  check->Supported = refused ? FALSE : TRUE;
  check->ReturnInfo.FailingPlane = refused.value_or(0) & 15u;
  return STATUS_SUCCESS;
}

}  // namespace tandem::processor
