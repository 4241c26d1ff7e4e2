// VidPNs: the modes that a driver offers, and what it leaves as it is meanwhile.
#include <array>
#include <utility>

#include "conform/painted_screen.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "conform/screen_driver.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 48, kHeight = 20;

// A driver with a list of its own has one of these sizes, which monitors have.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 5> kUsualSizes{
    {{640, 480}, {800, 600}, {1024, 768}, {1280, 720}, {1920, 1080}}};

// False: the driver leaves no such mode.
bool SetsMode(UserDevice& user, std::uint32_t width, std::uint32_t height) {
  const NTSTATUS status = user.SetMode(user.Create({width, height, SurfaceUse::kPrimary}), D3DDDI_ROTATION_IDENTITY);
  if (status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED) return false;
  RequireSuccess(status, "D3DKMTSetDisplayMode");
  return true;
}

void ModesAreOffered(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  if (SetsMode(user, kWidth, kHeight) && SetsMode(user, kWidth * 2, kHeight)) return;
  bool any = false;
  for (const auto& [width, height] : kUsualSizes) any = SetsMode(user, width, height) || any;
  Require(
      any,
      "DxgkDdiEnumVidPnCofuncModality leaves no mode of {} x {} nor of a monitor's usual size for the source, or none for its "
      "target.",
      kWidth, kHeight);
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
         "The kernel puts the size that it wants into the set; a driver that shows it may leave the set alone. "
         "A driver may have a list of its own."},
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
