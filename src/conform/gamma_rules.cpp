// Gamma ramps on an active path: the default one, and one of 256 values a channel.
#include <array>
#include <cstdint>

#include "conform/painted_screen.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "conform/screen_driver.h"

namespace tandem::conform {
namespace {

constexpr const char kSource[] = "DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH; D3DKMDT_GAMMA_RAMP; DXGK_GAMMARAMPCAPS";

// Each channel has values of its own, so a driver that exchanges two of them is found.
D3DDDI_GAMMA_RAMP_RGB256x3x16 DistinctRamp() {
  D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp{};
  for (std::uint32_t value = 0; value < 256; ++value) {
    ramp.Red[value] = static_cast<USHORT>((255 - value) * 257);
    ramp.Green[value] = static_cast<USHORT>((value ^ 0x55) * 257);
    ramp.Blue[value] = static_cast<USHORT>(value / 2 * 257);
  }
  return ramp;
}

std::uint32_t Ramped(const D3DDDI_GAMMA_RAMP_RGB256x3x16& ramp, std::uint32_t color) {
  const auto channel = [&](const USHORT(&values)[256], unsigned shift) { return (values[color >> shift & 255] / 257u) << shift; };
  return channel(ramp.Red, 16) | channel(ramp.Green, 8) | channel(ramp.Blue, 0);
}

void DefaultChangesNothing(Rig& rig) {
  PaintedScreen screen(rig);
  ScreenDriver driver(rig);
  const NTSTATUS status = driver.SetGammaRamp(screen.user(), nullptr);
  if (status == STATUS_NOT_SUPPORTED) throw NotApplicable("The driver has no DxgkDdiUpdateActiveVidPnPresentPath.");
  RequireSuccess(status, "DxgkDdiUpdateActiveVidPnPresentPath with D3DDDI_GAMMARAMP_DEFAULT");
  screen.Show();
  screen.RequireShown(&PaintedScreen::Painted, "the default gamma ramp");
}

void RampIsSeen(Rig& rig) {
  PaintedScreen screen(rig);
  ScreenDriver driver(rig);
  D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp = DistinctRamp();
  const NTSTATUS status = driver.SetGammaRamp(screen.user(), &ramp);
  if (status == STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED) throw NotApplicable("The driver declares no gamma ramps.");
  RequireSuccess(status, "DxgkDdiUpdateActiveVidPnPresentPath with D3DDDI_GAMMARAMP_RGB256x3x16");
  screen.Show();
  screen.RequireShown([&](std::uint32_t x, std::uint32_t y) { return Ramped(ramp, PaintedScreen::Painted(x, y)); },
                      "a gamma ramp");
  RequireSuccess(driver.SetGammaRamp(screen.user(), nullptr), "DxgkDdiUpdateActiveVidPnPresentPath back to the default");
  screen.Show();
  screen.RequireShown(&PaintedScreen::Painted, "the default gamma ramp after another one");
}

constexpr std::array kGammaRules{
    Rule{"Gamma.Default", "An active path takes the default gamma ramp, which changes no pixel.", kSource, Needs::kDisplay,
         &DefaultChangesNothing},
    Rule{"Gamma.Ramp", "A driver that declares Gamma_Rgb256x3x16 shows each channel through its own values, until the default.",
         kSource, Needs::kDisplay, &RampIsSeen},
};

}  // namespace

std::span<const Rule> GammaRules() { return kGammaRules; }

}  // namespace tandem::conform
