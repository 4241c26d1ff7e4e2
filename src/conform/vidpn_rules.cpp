// VidPNs: the modes that a driver offers, and what it leaves as it is meanwhile.
#include <array>

#include "conform/painted_screen.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "conform/screen_driver.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 48, kHeight = 20;

void ModesAreOffered(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  for (const std::uint32_t width : {kWidth, kWidth * 2}) {
    const NTSTATUS status = user.SetMode(user.Create({width, kHeight, SurfaceUse::kPrimary}), D3DDDI_ROTATION_IDENTITY);
    Require(status != STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED,
            "DxgkDdiEnumVidPnCofuncModality leaves no mode of {} x {} for the source, or none for its target.", width, kHeight);
    RequireSuccess(status, "D3DKMTSetDisplayMode");
  }
}

// The kernel asks again with each mode that it pins: the source's, then each target's.
void PinnedModesStay(Rig& rig) {
  static_cast<void>(rig.PlugSecondOutput());
  const std::array<kernel::SourceTarget, 2> targets{{{0, D3DDDI_ROTATION_IDENTITY}, {1, D3DDDI_ROTATION_IDENTITY}}};
  const auto set = rig.kernel().SetTargets(rig.display(), 0, targets);
  Require(set.ok(), "Two targets cannot be set: {}", set.ok() ? "" : set.error().message);
  UserDevice user = rig.OpenDisplay();
  const Surface primary = user.Create({kWidth, kHeight, SurfaceUse::kPrimary});
  const NTSTATUS status = user.SetMode(primary, D3DDDI_ROTATION_IDENTITY);
  if (status == STATUS_GRAPHICS_VIDPN_TOPOLOGY_NOT_SUPPORTED) throw NotApplicable("The driver has no clones.");
  RequireSuccess(status, "D3DKMTSetDisplayMode on two targets");
}

// The kernel looks at what is recommended; the picture is there afterwards.
void RecommendationIsFunctional(Rig& rig) {
  PaintedScreen screen(rig);
  const NTSTATUS status = ScreenDriver(rig).TakeRecommendation(screen.user());
  if (status == STATUS_NOT_SUPPORTED) throw NotApplicable("The driver has no DxgkDdiRecommendFunctionalVidPn.");
  if (status != STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN) RequireSuccess(status, "DxgkDdiRecommendFunctionalVidPn");
  screen.Show();
  screen.RequireShown(&PaintedScreen::Painted, "the VidPN that the driver recommends");
}

constexpr std::array kVidpnRules{
    Rule{"VidPn.Modes", "For each path whose modes are not pinned, modes of the source and the target are left to choose from.",
         "DXGKDDI_ENUMVIDPNCOFUNCMODALITY, Remarks; DXGKDDI_VIDPN_ASSIGNSOURCEMODESET", Needs::kDisplay, &ModesAreOffered,
         "The kernel puts the size that it wants into the set; a driver that shows it may leave the set alone."},
    Rule{"VidPn.Pinned", "Pinned modes and the pivot's mode set stay, and all that was acquired is released.",
         "DXGKDDI_ENUMVIDPNCOFUNCMODALITY, Remarks; DXGK_ENUM_PIVOT; DXGKDDI_VIDPN_RELEASESOURCEMODESET", Needs::kDisplay,
         &PinnedModesStay},
    Rule{"VidPn.Recommended", "A driver recommends a functional VidPN with a path for each source that is shown, or nothing.",
         "DXGKDDI_RECOMMENDFUNCTIONALVIDPN, Remarks; DXGKARG_RECOMMENDFUNCTIONALVIDPN", Needs::kDisplay,
         &RecommendationIsFunctional},
};

}  // namespace

std::span<const Rule> VidPnRules() { return kVidpnRules; }

}  // namespace tandem::conform
