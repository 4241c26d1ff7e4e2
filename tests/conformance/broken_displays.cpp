// Drivers that show the wrong thing.
#include <atomic>

#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

// What was asked first with StaticCheck is the answer to every present.
NTSTATUS KeepStaticChecks(HANDLE adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* check) {
  static std::atomic<int> kept{-1};
  const NTSTATUS status = SoundTable().DxgkDdiCheckMultiPlaneOverlaySupport3(adapter, check);
  if (check->ppPlanes[0]->PlaneAttributes.Flags.StaticCheck) {
    int nothing = -1;
    kept.compare_exchange_strong(nothing, check->Supported);
  } else if (kept >= 0) {
    check->Supported = kept;
  }
  return status;
}

NTSTATUS ShowTheLowestPlane(HANDLE adapter, DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* set) {
  set->PlaneCount = 1;
  return SoundTable().DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(adapter, set);
}

NTSTATUS ShowTheFifthFlipTwice(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  static DXGKARG_SETVIDPNSOURCEADDRESS before{};
  static std::atomic<int> flips{0};
  if (args->Flags.ModeChange == 0 && ++flips == 5) return SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, &before);
  before = *args;
  return SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, args);
}

NTSTATUS KeepTheModeBefore(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  static std::atomic<int> modes{0};
  if (args->Flags.ModeChange != 0 && ++modes > 1) return STATUS_SUCCESS;
  return SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, args);
}

NTSTATUS CommitNothing(HANDLE, const DXGKARG_COMMITVIDPN*) { return STATUS_SUCCESS; }

NTSTATUS ForgetTheOffset(HANDLE adapter, const DXGKARG_COMMITVIDPN* args) {
  const NTSTATUS status = SoundTable().DxgkDdiCommitVidPn(adapter, args);
  DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH update{};
  update.VidPnPresentPathInfo.VidPnTargetId = 1;
  update.VidPnPresentPathInfo.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
  return NT_SUCCESS(status) ? SoundTable().DxgkDdiUpdateActiveVidPnPresentPath(adapter, &update) : status;
}

NTSTATUS SetOneColorTooFew(HANDLE adapter, const DXGKARG_SETPALETTE* args) {
  DXGKARG_SETPALETTE fewer = *args;
  --fewer.NumEntries;
  return SoundTable().DxgkDdiSetPalette(adapter, &fewer);
}

}  // namespace

std::vector<BrokenDriver> DriversThatShowWrongly() {
  return {
      {"CommitsNothing", "Flip.Clone", [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCommitVidPn = &CommitNothing; }},
      {"ForgetsTheOffset", "Present.Blt.RotateClone",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCommitVidPn = &ForgetTheOffset; }},
      {"ForgetsTheOffset", "Flip.Clone", [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCommitVidPn = &ForgetTheOffset; }},
      {"KeepsStaticChecks", "Overlay.StaticCheck",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiCheckMultiPlaneOverlaySupport3 = &KeepStaticChecks; }},
      {"ShowsTheLowestPlane", "Overlay.Planes",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = &ShowTheLowestPlane; }},
      {"ShowsTheFifthFlipTwice", "Flip.Order",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &ShowTheFifthFlipTwice; }},
      {"KeepsTheModeBefore", "Flip.Mode",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &KeepTheModeBefore; }, "is not "},
      {"SetsOneColorTooFew", "Palette.Shown",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetPalette = &SetOneColorTooFew; }},
  };
}

}  // namespace tandem::conform
