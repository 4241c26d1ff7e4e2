// Drivers that offer no modes, or change what of a VidPN is to stay.
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

DXGKRNL_INTERFACE kernel_functions;

NTSTATUS KeepTheFunctions(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                          PULONG children) {
  kernel_functions = *kernel;
  return SoundTable().DxgkDdiStartDevice(context, info, kernel, sources, children);
}

const DXGK_VIDPN_INTERFACE& Functions(D3DKMDT_HVIDPN vidpn) {
  const DXGK_VIDPN_INTERFACE* functions = nullptr;
  kernel_functions.DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
  return *functions;
}

// An empty set takes the place of the source's.
void EmptyTheSource(D3DKMDT_HVIDPN vidpn) {
  const DXGK_VIDPN_INTERFACE& functions = Functions(vidpn);
  D3DKMDT_HVIDPNSOURCEMODESET set = nullptr;
  const DXGK_VIDPNSOURCEMODESET_INTERFACE* modes = nullptr;
  functions.pfnCreateNewSourceModeSet(vidpn, 0, &set, &modes);
  if (!NT_SUCCESS(functions.pfnAssignSourceModeSet(vidpn, 0, set))) functions.pfnReleaseSourceModeSet(vidpn, set);
}

NTSTATUS OfferNoMode(HANDLE, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  if (args->EnumPivotType == D3DKMDT_EPT_NOPIVOT) EmptyTheSource(args->hConstrainingVidPn);
  return STATUS_SUCCESS;
}

NTSTATUS DropThePinnedMode(HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  if (args->EnumPivotType == D3DKMDT_EPT_VIDPNTARGET) EmptyTheSource(args->hConstrainingVidPn);
  return SoundTable().DxgkDdiEnumVidPnCofuncModality(adapter, args);
}

NTSTATUS ReplaceThePivot(HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  if (args->EnumPivotType == D3DKMDT_EPT_VIDPNSOURCE) EmptyTheSource(args->hConstrainingVidPn);
  return SoundTable().DxgkDdiEnumVidPnCofuncModality(adapter, args);
}

NTSTATUS KeepAModeSet(HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  D3DKMDT_HVIDPNTARGETMODESET set = nullptr;
  const DXGK_VIDPNTARGETMODESET_INTERFACE* modes = nullptr;
  Functions(args->hConstrainingVidPn).pfnAcquireTargetModeSet(args->hConstrainingVidPn, 0, &set, &modes);
  return SoundTable().DxgkDdiEnumVidPnCofuncModality(adapter, args);
}

// The modes of the first target leave the second one none.
NTSTATUS LeaveTheSecondTargetNoMode(HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  const NTSTATUS status = SoundTable().DxgkDdiEnumVidPnCofuncModality(adapter, args);
  if (args->EnumPivotType != D3DKMDT_EPT_VIDPNTARGET || args->EnumPivot.VidPnTargetId != 0) return status;
  const D3DKMDT_HVIDPN vidpn = args->hConstrainingVidPn;
  D3DKMDT_HVIDPNTARGETMODESET set = nullptr;
  const DXGK_VIDPNTARGETMODESET_INTERFACE* modes = nullptr;
  if (!NT_SUCCESS(Functions(vidpn).pfnCreateNewTargetModeSet(vidpn, 1, &set, &modes))) return status;
  return Functions(vidpn).pfnAssignTargetModeSet(vidpn, 1, set);
}

template <NTSTATUS (*kEnumerate)(HANDLE, const DXGKARG_ENUMVIDPNCOFUNCMODALITY*)>
void Edit(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiStartDevice = &KeepTheFunctions;
  table.DxgkDdiEnumVidPnCofuncModality = kEnumerate;
}

}  // namespace

std::vector<BrokenDriver> DriversWithWrongVidPns() {
  return {
      {"OffersNoMode", "VidPn.Modes", &Edit<&OfferNoMode>, "leaves no mode"},
      {"LeavesTheSecondTargetNoMode", "VidPn.Pinned", &Edit<&LeaveTheSecondTargetNoMode>, "two targets"},
      {"DropsThePinnedMode", "VidPn.Pinned", &Edit<&DropThePinnedMode>, "VidPn.PinnedModeStays", SeenBy::kKernel},
      {"ReplacesThePivot", "VidPn.Pinned", &Edit<&ReplaceThePivot>, "VidPn.PivotIsKept", SeenBy::kKernel},
      {"KeepsAModeSet", "VidPn.Pinned", &Edit<&KeepAModeSet>, "VidPn.WhatIsAcquiredIsReleased", SeenBy::kKernel},
  };
}

}  // namespace tandem::conform
