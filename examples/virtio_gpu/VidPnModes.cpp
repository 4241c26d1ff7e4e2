#include "VidPnModes.h"

#include "VidPnModes.tmh"

static CONST D3DDDIFORMAT Formats[] = {D3DDDIFMT_A8R8G8B8, D3DDDIFMT_X8R8G8B8, D3DDDIFMT_A8B8G8R8, D3DDDIFMT_X8B8G8R8};

VOID DescribeSignal(_In_ D3DKMDT_2DREGION Size, _In_ ULONG RefreshMilliHz, _Out_ D3DKMDT_VIDEO_SIGNAL_INFO* Signal) {
  Signal->VideoStandard = D3DKMDT_VSS_OTHER;
  Signal->TotalSize = Size;
  Signal->ActiveSize = Size;
  Signal->VSyncFreq.Numerator = RefreshMilliHz;
  Signal->VSyncFreq.Denominator = 1000;
  Signal->HSyncFreq.Numerator = (UINT)((ULONG64)RefreshMilliHz * Size.cy / 1000);
  Signal->HSyncFreq.Denominator = 1;
  Signal->PixelRate = (SIZE_T)((ULONG64)RefreshMilliHz * Size.cx * Size.cy / 1000);
  Signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
}

// The kernel owns a mode once it is in a set; before that, the driver releases it.
static NTSTATUS AddSourceMode(_In_ D3DKMDT_HVIDPNSOURCEMODESET Handle, _In_ CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* Set,
                              _In_ D3DKMDT_2DREGION Size, _In_ D3DDDIFORMAT Format, _In_ BOOLEAN Pin) {
  D3DKMDT_VIDPN_SOURCE_MODE* Mode = NULL;
  NTSTATUS Status = Set->pfnCreateNewModeInfo(Handle, &Mode);
  if (!NT_SUCCESS(Status)) return Status;
  Mode->Type = D3DKMDT_RMT_GRAPHICS;
  Mode->Format.Graphics.PrimSurfSize = Size;
  Mode->Format.Graphics.VisibleRegionSize = Size;
  Mode->Format.Graphics.Stride = (DWORD)ALIGN_UP_BY(Size.cx * 4, SURFACE_PITCH_ALIGNMENT);
  Mode->Format.Graphics.PixelFormat = Format;
  Mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SRGB;
  Mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
  Status = Set->pfnAddMode(Handle, Mode);
  if (!NT_SUCCESS(Status)) Set->pfnReleaseModeInfo(Handle, Mode);
  if (NT_SUCCESS(Status) && Pin) Status = Set->pfnPinMode(Handle, Mode->Id);
  return Status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET ? STATUS_SUCCESS : Status;
}

NTSTATUS OfferSourceModes(_In_ CONST Network* Net, _In_ CONST SizeList* Sizes, _In_ BOOLEAN PinFirst) {
  D3DKMDT_HVIDPNSOURCEMODESET Handle;
  CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* Set;
  NTSTATUS Status = Net->Functions->pfnCreateNewSourceModeSet(Net->Handle, SOURCE_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  for (ULONG i = 0; i < Sizes->Count && NT_SUCCESS(Status); i++) {
    for (ULONG f = 0; f < ARRAYSIZE(Formats) && NT_SUCCESS(Status); f++) {
      Status = AddSourceMode(Handle, Set, Sizes->Sizes[i], Formats[f], PinFirst && i == 0 && f == 0);
    }
  }
  if (NT_SUCCESS(Status)) Status = Net->Functions->pfnAssignSourceModeSet(Net->Handle, SOURCE_ID, Handle);
  if (!NT_SUCCESS(Status)) Net->Functions->pfnReleaseSourceModeSet(Net->Handle, Handle);
  return Status;
}

NTSTATUS OfferTargetModes(_In_ CONST Network* Net, _In_ CONST SizeList* Sizes, _In_ ULONG RefreshMilliHz, _In_ BOOLEAN PinFirst) {
  D3DKMDT_HVIDPNTARGETMODESET Handle;
  CONST DXGK_VIDPNTARGETMODESET_INTERFACE* Set;
  NTSTATUS Status = Net->Functions->pfnCreateNewTargetModeSet(Net->Handle, TARGET_ID, &Handle, &Set);
  if (!NT_SUCCESS(Status)) return Status;
  for (ULONG i = 0; i < Sizes->Count && NT_SUCCESS(Status); i++) {
    D3DKMDT_VIDPN_TARGET_MODE* Mode = NULL;
    Status = Set->pfnCreateNewModeInfo(Handle, &Mode);
    if (!NT_SUCCESS(Status)) break;
    DescribeSignal(Sizes->Sizes[i], RefreshMilliHz, &Mode->VideoSignalInfo);
    Mode->Preference = i == 0 ? D3DKMDT_MP_PREFERRED : D3DKMDT_MP_NOTPREFERRED;
    Status = Set->pfnAddMode(Handle, Mode);
    if (!NT_SUCCESS(Status)) Set->pfnReleaseModeInfo(Handle, Mode);
    if (NT_SUCCESS(Status) && PinFirst && i == 0) Status = Set->pfnPinMode(Handle, Mode->Id);
    if (Status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET) Status = STATUS_SUCCESS;
  }
  if (NT_SUCCESS(Status)) Status = Net->Functions->pfnAssignTargetModeSet(Net->Handle, TARGET_ID, Handle);
  if (!NT_SUCCESS(Status)) Net->Functions->pfnReleaseTargetModeSet(Net->Handle, Handle);
  return Status;
}
