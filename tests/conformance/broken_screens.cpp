// Drivers with wrong pointers, monitors and last words.
#include <atomic>
#include <utility>

#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

using Table = DRIVER_INITIALIZATION_DATA;

NTSTATUS RefuseMaskedColor(HANDLE adapter, const DXGKARG_SETPOINTERSHAPE* shape) {
  return shape->Flags.MaskedColor != 0 ? NTSTATUS{STATUS_UNSUCCESSFUL} : SoundTable().DxgkDdiSetPointerShape(adapter, shape);
}

// Masks are taken for alpha.
NTSTATUS BlendMaskedColor(HANDLE adapter, const DXGKARG_SETPOINTERSHAPE* shape) {
  DXGKARG_SETPOINTERSHAPE blended = *shape;
  if (shape->Flags.MaskedColor != 0) {
    blended.Flags.Value = 0;
    blended.Flags.Color = 1;
  }
  return SoundTable().DxgkDdiSetPointerShape(adapter, &blended);
}

template <void (*kSpoil)(DXGKARG_SETPOINTERPOSITION& position)>
NTSTATUS MoveWrongly(HANDLE adapter, const DXGKARG_SETPOINTERPOSITION* position) {
  DXGKARG_SETPOINTERPOSITION wrong = *position;
  kSpoil(wrong);
  return SoundTable().DxgkDdiSetPointerPosition(adapter, &wrong);
}
void MoveOneColumnTooFar(DXGKARG_SETPOINTERPOSITION& position) { ++position.X; }
void StopAtTheEdge(DXGKARG_SETPOINTERPOSITION& position) {
  if (position.X < 0) position.X = 0;
  if (position.Y < 0) position.Y = 0;
}
void IgnoreVisible(DXGKARG_SETPOINTERPOSITION& position) { position.Flags.Visible = 1; }

template <void (*kSpoil)(DXGKARG_SETPOINTERPOSITION& position)>
void Move(Table& table) {
  table.DxgkDdiSetPointerPosition = &MoveWrongly<kSpoil>;
}

NTSTATUS StartWithoutIndications(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                                 PULONG children) {
  static DXGKRNL_INTERFACE deaf;
  deaf = *kernel;
  deaf.DxgkCbIndicateChildStatus = [](HANDLE, PDXGK_CHILD_STATUS) { return NTSTATUS{STATUS_SUCCESS}; };
  return SoundTable().DxgkDdiStartDevice(context, info, &deaf, sources, children);
}

// The source is made visible once.
NTSTATUS StayDark(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEVISIBILITY* set) {
  static std::atomic<int> lit{0};
  if (set->Visible != FALSE && ++lit > 1) return STATUS_SUCCESS;
  return SoundTable().DxgkDdiSetVidPnSourceVisibility(adapter, set);
}

NTSTATUS EnableWithoutAMode(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target, PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags,
                            UINT* width, UINT* height, D3DDDIFORMAT* format) {
  const NTSTATUS status = SoundTable().DxgkDdiSystemDisplayEnable(context, target, flags, width, height, format);
  *format = D3DDDIFMT_UNKNOWN;
  return status;
}

NTSTATUS EnableUnseen(PVOID /*context*/, D3DDDI_VIDEO_PRESENT_TARGET_ID /*target*/,
                      PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS /*flags*/, UINT* width, UINT* height, D3DDDIFORMAT* format) {
  *width = 640;
  *height = 480;
  *format = D3DDDIFMT_X8R8G8B8;
  return STATUS_SUCCESS;
}

template <void (*kSpoil)(D3DKMDT_GAMMA_RAMP& ramp)>
NTSTATUS UpdateWrongly(HANDLE adapter, const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH* update) {
  DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH wrong = *update;
  D3DDDI_GAMMA_RAMP_RGB256x3x16 values{};
  D3DKMDT_GAMMA_RAMP& ramp = wrong.VidPnPresentPathInfo.GammaRamp;
  if (ramp.Type == D3DDDI_GAMMARAMP_RGB256x3x16) ramp.Data.pRgb256x3x16 = &(values = *ramp.Data.pRgb256x3x16);
  kSpoil(ramp);
  return SoundTable().DxgkDdiUpdateActiveVidPnPresentPath(adapter, &wrong);
}
void ExchangeRedAndBlue(D3DKMDT_GAMMA_RAMP& ramp) {
  if (ramp.Type == D3DDDI_GAMMARAMP_RGB256x3x16) std::swap(ramp.Data.pRgb256x3x16->Red, ramp.Data.pRgb256x3x16->Blue);
}
// The driver takes no path whose ramp it was not told.
void WantARamp(D3DKMDT_GAMMA_RAMP& ramp) {
  if (ramp.Type == D3DDDI_GAMMARAMP_DEFAULT) ramp.Type = D3DDDI_GAMMARAMP_UNINITIALIZED;
}

template <void (*kSpoil)(D3DKMDT_GAMMA_RAMP& ramp)>
void Update(Table& table) {
  table.DxgkDdiUpdateActiveVidPnPresentPath = &UpdateWrongly<kSpoil>;
}

NTSTATUS RecommendNoPath(HANDLE /*adapter*/, const DXGKARG_RECOMMENDFUNCTIONALVIDPN* /*recommend*/) { return STATUS_SUCCESS; }

NTSTATUS FailToRecommend(HANDLE /*adapter*/, const DXGKARG_RECOMMENDFUNCTIONALVIDPN* /*recommend*/) {
  return STATUS_UNSUCCESSFUL;
}

NTSTATUS SetReservedBits(HANDLE /*adapter*/, DXGKARG_QUERYVIDPNHWCAPABILITY* query) {
  query->VidPnHWCaps.Reserved = 1;
  return STATUS_SUCCESS;
}

void WriteOneRowTooLow(PVOID context, PVOID source, UINT width, UINT height, UINT stride, UINT x, UINT y) {
  SoundTable().DxgkDdiSystemDisplayWrite(context, source, width, height, stride, x, y + 1);
}

void WriteNothing(PVOID /*context*/, PVOID /*source*/, UINT /*width*/, UINT /*height*/, UINT /*stride*/, UINT /*x*/, UINT /*y*/) {
}

}  // namespace

std::vector<BrokenDriver> DriversWithWrongScreens() {
  return {
      {"RefusesMaskedColor", "Pointer.Shapes", [](Table& table) { table.DxgkDdiSetPointerShape = &RefuseMaskedColor; },
       "that PointerCaps declare is refused"},
      {"MovesOneColumnTooFar", "Pointer.Place", &Move<&MoveOneColumnTooFar>, "with a pointer at (5, 3)"},
      {"StopsAtTheEdge", "Pointer.Clip", &Move<&StopAtTheEdge>, "with a pointer at (-3, 4)"},
      {"IgnoresVisible", "Pointer.Visible", &Move<&IgnoreVisible>, "that is not seen"},
      {"BlendsMaskedColor", "Pointer.Masks", [](Table& table) { table.DxgkDdiSetPointerShape = &BlendMaskedColor; },
       "with a pointer at (9, 8)"},
      {"NeverIndicates", "HotPlug.Indicated", [](Table& table) { table.DxgkDdiStartDevice = &StartWithoutIndications; },
       "the driver reports that it is connected"},
      {"StaysDark", "HotPlug.ComesBack", [](Table& table) { table.DxgkDdiSetVidPnSourceVisibility = &StayDark; },
       "and the picture did not"},
      {"ExchangesRedAndBlue", "Gamma.Ramp", &Update<&ExchangeRedAndBlue>, "with a gamma ramp"},
      {"WantsARamp", "Gamma.Default", &Update<&WantARamp>, "D3DDDI_GAMMARAMP_DEFAULT"},
      {"RecommendsNoPath", "VidPn.Recommended", [](Table& table) { table.DxgkDdiRecommendFunctionalVidPn = &RecommendNoPath; },
       "VidPn.RecommendedIsFunctional", SeenBy::kKernel},
      {"FailsToRecommend", "VidPn.Recommended", [](Table& table) { table.DxgkDdiRecommendFunctionalVidPn = &FailToRecommend; },
       "DxgkDdiRecommendFunctionalVidPn"},
      {"SetsReservedBits", "VidPn.Modes", [](Table& table) { table.DxgkDdiQueryVidPnHWCapability = &SetReservedBits; },
       "VidPn.HwCapability", SeenBy::kKernel},
      {"WritesOneRowTooLow", "SystemDisplay.Shows", [](Table& table) { table.DxgkDdiSystemDisplayWrite = &WriteOneRowTooLow; },
       "was written"},
      {"WritesNothing", "SystemDisplay.Shows",
       [](Table& table) {
         table.DxgkDdiSystemDisplayEnable = &EnableUnseen;
         table.DxgkDdiSystemDisplayWrite = &WriteNothing;
       },
       "Nothing is shown after DxgkDdiSystemDisplayWrite"},
      {"EnablesWithoutAFormat", "SystemDisplay.Shows",
       [](Table& table) { table.DxgkDdiSystemDisplayEnable = &EnableWithoutAMode; }, "SystemDisplayMode", SeenBy::kKernel},
  };
}

}  // namespace tandem::conform
