// Drivers whose screen shows wrong pictures.
#include <algorithm>
#include <atomic>

#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

// The first answer with StaticCheck is reused for every present.
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

// The lowest plane, which is last, replaces all others.
NTSTATUS ShowTheLowestPlane(HANDLE adapter, DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* set) {
  const DXGK_MULTIPLANE_OVERLAY_PLANE3& lowest = *set->ppPlanes[set->PlaneCount - 1];
  for (UINT i = 0; i < set->PlaneCount; ++i) set->ppPlanes[i]->ppContextData = lowest.ppContextData;
  return SoundTable().DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(adapter, set);
}

// Keeps planes on that go off; keeping unnamed planes would be right.
NTSTATUS KeepPlanesOn(HANDLE adapter, DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* set) {
  const auto last = std::remove_if(set->ppPlanes, set->ppPlanes + set->PlaneCount,
                                   [](const DXGK_MULTIPLANE_OVERLAY_PLANE3* plane) { return !plane->InputFlags.Enabled; });
  set->PlaneCount = static_cast<UINT>(last - set->ppPlanes);
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

NTSTATUS TakeEveryFlip(HANDLE context, DXGKARG_PRESENT* present) {
  return present->Flags.Flip != 0 ? STATUS_SUCCESS : SoundTable().DxgkDdiPresent(context, present);
}
NTSTATUS ShowWhatCanBeShown(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  static_cast<void>(SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, args));
  return STATUS_SUCCESS;
}

NTSTATUS FlipAtOnce(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  DXGKARG_SETVIDPNSOURCEADDRESS flip = *args;
  if (flip.Flags.FlipOnNextVSync != 0) flip.Flags.FlipImmediate = 1;
  return SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, &flip);
}

NTSTATUS FlipAtTheBlank(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  DXGKARG_SETVIDPNSOURCEADDRESS flip = *args;
  flip.Flags.FlipImmediate = 0;
  return SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, &flip);
}

NTSTATUS ShowOneRowTooLow(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  constexpr LONGLONG kRow = 64 * 4;
  DXGKARG_SETVIDPNSOURCEADDRESS moved = *args;
  moved.PrimaryAddress.QuadPart += kRow;
  return SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, &moved);
}

NTSTATUS RefuseFlips(HANDLE context, DXGKARG_PRESENT* present) {
  return present->Flags.Flip != 0 ? STATUS_ILLEGAL_INSTRUCTION : SoundTable().DxgkDdiPresent(context, present);
}

NTSTATUS DeclareIntegrated(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  const NTSTATUS status = SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
  if (query->Type == DXGKQAITYPE_DRIVERCAPS) static_cast<DXGK_DRIVERCAPS*>(query->pOutputData)->HybridIntegrated = TRUE;
  return status;
}

NTSTATUS ScanOneLine(HANDLE adapter, DXGKARG_GETSCANLINE* get) {
  const NTSTATUS status = SoundTable().DxgkDdiGetScanLine(adapter, get);
  get->ScanLine = 3;
  return status;
}
NTSTATUS NeverBlank(HANDLE adapter, DXGKARG_GETSCANLINE* get) {
  const NTSTATUS status = SoundTable().DxgkDdiGetScanLine(adapter, get);
  get->InVerticalBlank = FALSE;
  return status;
}

NTSTATUS IgnoreTheDark(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEVISIBILITY* set) {
  return set->Visible ? SoundTable().DxgkDdiSetVidPnSourceVisibility(adapter, set) : STATUS_SUCCESS;
}
NTSTATUS StayDark(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEVISIBILITY* set) {
  static std::atomic<int> lights{0};
  if (set->Visible && ++lights > 1) return STATUS_SUCCESS;
  return SoundTable().DxgkDdiSetVidPnSourceVisibility(adapter, set);
}
NTSTATUS KeepTheInterrupt(HANDLE adapter, DXGK_INTERRUPT_TYPE type, BOOLEAN enable) {
  return enable ? SoundTable().DxgkDdiControlInterrupt(adapter, type, enable) : STATUS_SUCCESS;
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
      {"KeepsPlanesOn", "Overlay.Off",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = &KeepPlanesOn; }},
      {"ShowsTheFifthFlipTwice", "Flip.Order",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &ShowTheFifthFlipTwice; }},
      {"KeepsTheModeBefore", "Flip.Mode",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &KeepTheModeBefore; }, "is not "},
      {"TakesEveryFlip", "Flip.Validated",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiPresent = &TakeEveryFlip;
         table.DxgkDdiSetVidPnSourceAddress = &ShowWhatCanBeShown;
       }},
      {"FlipsAtOnce", "Flip.AtBlank",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &FlipAtOnce; }},
      {"FlipsAtTheBlank", "Flip.Immediate",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &FlipAtTheBlank; }},
      {"ShowsOneRowTooLow", "CrossAdapter.PrimaryFlip",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &ShowOneRowTooLow; }},
      {"IsIntegratedAndRefusesFlips", "CrossAdapter.HybridIntegrated",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiQueryAdapterInfo = &DeclareIntegrated;
         table.DxgkDdiPresent = &RefuseFlips;
       }},
      {"ScansOneLine", "Screen.ScanLine", [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiGetScanLine = &ScanOneLine; }},
      {"IsNeverInTheBlank", "Screen.InBlank", [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiGetScanLine = &NeverBlank; }},
      {"IgnoresTheDark", "Screen.Dark",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceVisibility = &IgnoreTheDark; }},
      {"StaysDark", "Screen.Light", [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceVisibility = &StayDark; }},
      {"ReportsInTheDark", "Screen.InterruptOff",
       [](DRIVER_INITIALIZATION_DATA& table) {
         table.DxgkDdiSetVidPnSourceVisibility = &IgnoreTheDark;
         table.DxgkDdiControlInterrupt = &KeepTheInterrupt;
       }},
      {"SetsOneColorTooFew", "Palette.Shown",
       [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetPalette = &SetOneColorTooFew; }},
  };
}

}  // namespace tandem::conform
