// Overlay checks, and that what they say yes to is what is shown.
#include <array>
#include <vector>

#include "conform/overlay_question.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 48, kHeight = 20;
constexpr RECT kWhole{0, 0, kWidth, kHeight};

void RequireTier3(const UserDevice& user) {
  D3DKMT_CROSSADAPTERRESOURCE_SUPPORT support{};
  const D3DKMT_QUERYADAPTERINFO query{user.adapter(), KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT, &support, sizeof(support)};
  RequireSuccess(D3DKMTQueryAdapterInfo(&query), "D3DKMTQueryAdapterInfo");
  if (support.SupportTier == D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER_SCANOUT) return;
  throw NotApplicable(
      fmt::format("The display adapter has cross-adapter tier {}; tier 3 scans out.", static_cast<int>(support.SupportTier)));
}

void StaticCheckChangesNothing(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  RequireTier3(user);
  if (rig.Description(rig.display()).wddm_version < static_cast<std::uint32_t>(DXGKDDI_WDDMv3_0))
    throw NotApplicable("The driver is older than WDDM 3.0, which has no StaticCheck.");
  const Surface surface = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  // What no display controller does, and what every one of tier 3 does.
  const auto absurd = PlaneAttributes({0, 0, 1, 1}, {0, 0, 16384, 16384});
  const bool refused = !AskOverlay(user, surface, absurd, OverlayQuestion::kStatic);
  Require(AskOverlay(user, surface, PlaneAttributes(kWhole, kWhole), OverlayQuestion::kPresent),
          "A plane that can be shown is refused after a StaticCheck of one that {}.", refused ? "cannot" : "can");
  Require(AskOverlay(user, surface, PlaneAttributes(kWhole, kWhole), OverlayQuestion::kStatic),
          "A StaticCheck is refused after the same check of a present.");
  Require(AskOverlay(user, surface, absurd, OverlayQuestion::kPresent) == !refused,
          "A plane is {} for a present after StaticChecks of it and another.", refused ? "accepted" : "refused");
}

// Two planes without arithmetic: what is on top is seen.
void PlanesLieOnEachOther(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const Surface below = user.Create({kWidth, kHeight, SurfaceUse::kPrimary});
  const Surface back = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  const Surface above = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
  user.Paint(back, 0x31000000);
  RequireSuccess(user.Copy(back, below, {}), "D3DKMTPresent");
  user.Finish();
  // The mode is set by a flip of its own: a blank that tells of the same base plane would be taken for that of the planes.
  const Surface before = user.Create({kWidth, kHeight, SurfaceUse::kPrimary});
  RequireSuccess(user.Flip(before, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
  user.Finish();
  user.Paint(above, 0x52000000);
  const RECT source{3, 2, 23, 12};
  const RECT destination{10, 5, 30, 15};
  const std::array<D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, 2> attributes{PlaneAttributes(kWhole, kWhole),
                                                                        PlaneAttributes(source, destination)};
  std::array<D3DKMT_HANDLE, 2> surfaces{below.allocation, above.allocation};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3, 2> planes{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3*, 2> pointers{&planes[0], &planes[1]};
  for (UINT i = 0; i < 2; ++i) {
    planes[i].LayerIndex = i;
    planes[i].InputFlags.Enabled = 1;
    planes[i].FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
    planes[i].AllocationCount = 1;
    planes[i].pAllocationList = &surfaces[i];
    planes[i].pPlaneAttributes = &attributes[i];
  }
  D3DKMT_HANDLE context = user.context();
  D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 present{};
  present.hAdapter = user.adapter();
  present.ContextCount = 1;
  present.pContextList = &context;
  present.PresentPlaneCount = 2;
  present.ppPresentPlanes = pointers.data();
  const NTSTATUS status = D3DKMTPresentMultiPlaneOverlay3(&present);
  if (status == STATUS_NOT_SUPPORTED) throw NotApplicable("The driver does not show two planes.");
  RequireSuccess(status, "D3DKMTPresentMultiPlaneOverlay3");
  user.Finish();
  const std::vector<ShownPicture> shown = rig.output().shown();
  Require(!shown.empty(), "The planes were flipped to, and nothing was shown.");
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const bool on_top = x >= 10 && x < 30 && y >= 5 && y < 15;
      const std::uint32_t due =
          on_top ? UserDevice::Painted(0x52000000, x - 10 + 3, y - 5 + 2) : UserDevice::Painted(0x31000000, x, y);
      const std::uint32_t seen = shown.back().At(x, y);
      Require(seen == due, "Pixel ({}, {}) is 0x{:08X}; 0x{:08X} was due.", x, y, seen, due);
    }
  }
}

}  // namespace

std::span<const Rule> OverlayRules() {
  static constexpr std::array kRules{
      Rule{"Overlay.StaticCheck", "A check with StaticCheck is answered alone and changes no answer to a present.",
           "WDDM cross-adapter scan-out, Supporting StaticCheck flag", Needs::kDisplay, &StaticCheckChangesNothing},
      Rule{"Overlay.Planes", "Planes that a check accepted are shown together, higher layers on top.",
           "DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3", Needs::kDisplay, &PlanesLieOnEachOther},
  };
  return kRules;
}

}  // namespace tandem::conform
