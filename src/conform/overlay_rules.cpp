// Overlay checks: the display shows exactly what a check accepted.
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
  // No display controller accepts `absurd`; every tier-3 controller accepts the whole plane.
  const auto absurd = PlaneAttributes({0, 0, 1, 1}, {0, 0, 16384, 16384});
  const bool refused = !AskOverlay(user, surface, absurd, OverlayQuestion::kStatic);
  Require(AskOverlay(user, surface, PlaneAttributes(kWhole, kWhole), OverlayQuestion::kPresent),
          "A plane that can be shown is refused after a StaticCheck of one that {}.", refused ? "cannot" : "can");
  Require(AskOverlay(user, surface, PlaneAttributes(kWhole, kWhole), OverlayQuestion::kStatic),
          "A StaticCheck is refused after the same check of a present.");
  Require(AskOverlay(user, surface, absurd, OverlayQuestion::kPresent) == !refused,
          "A plane is {} for a present after StaticChecks of it and another.", refused ? "accepted" : "refused");
}

// A base picture that covers the screen and a plane above it. A present shows both, turns the upper plane off, or leaves it
// out.
class TwoPlanes {
 public:
  enum class Upper : std::uint8_t { kOn, kOff, kLeftOut };

  explicit TwoPlanes(UserDevice& user) : user_(user) {
    const Surface below = user.Create({kWidth, kHeight, SurfaceUse::kPrimary});
    const Surface back = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
    const Surface above = user.Create({kWidth, kHeight, SurfaceUse::kCrossAdapter});
    user.Paint(back, kBelow);
    RequireSuccess(user.Copy(back, below, {}), "D3DKMTPresent");
    user.Finish();
    // A flip of its own sets the mode. Otherwise its vertical blank would pass for the planes', which have the same base plane.
    const Surface before = user.Create({kWidth, kHeight, SurfaceUse::kPrimary});
    RequireSuccess(user.Flip(before, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
    user.Finish();
    user.Paint(above, kAbove);
    surfaces_ = {above.allocation, below.allocation};
    for (UINT i = 0; i < 2; ++i) {
      planes_[i].LayerIndex = i;
      planes_[i].InputFlags.Enabled = 1;
      planes_[i].FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
      planes_[i].AllocationCount = 1;
      planes_[i].pAllocationList = &surfaces_[i];
      planes_[i].pPlaneAttributes = &attributes_[i];
    }
  }

  // Returns when the planes are on the screen.
  void Present(Upper upper) {
    D3DKMT_MULTIPLANE_OVERLAY3 off{};  // LayerIndex is 0
    std::array<D3DKMT_MULTIPLANE_OVERLAY3*, 2> pointers{upper == Upper::kOff ? &off : &planes_[0], &planes_[1]};
    const UINT left_out = upper == Upper::kLeftOut ? 1 : 0;
    D3DKMT_HANDLE context = user_.context();
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 present{};
    present.hAdapter = user_.adapter();
    present.ContextCount = 1;
    present.pContextList = &context;
    present.PresentPlaneCount = 2 - left_out;
    present.ppPresentPlanes = &pointers[left_out];
    const NTSTATUS status = D3DKMTPresentMultiPlaneOverlay3(&present);
    if (status == STATUS_NOT_SUPPORTED) throw NotApplicable("The driver does not show two planes.");
    RequireSuccess(status, "D3DKMTPresentMultiPlaneOverlay3");
    user_.Finish();
  }

  // The last picture must show both planes unscaled, or the lower plane alone.
  static void RequireShown(Rig& rig, Upper upper) {
    const std::vector<ShownPicture> shown = rig.output().shown();
    Require(!shown.empty(), "The planes were flipped to, and nothing was shown.");
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        const bool on_top = upper == Upper::kOn && x >= 10 && x < 30 && y >= 5 && y < 15;
        const std::uint32_t due = on_top ? UserDevice::Painted(kAbove, x - 10 + 3, y - 5 + 2) : UserDevice::Painted(kBelow, x, y);
        Require(shown.back().Shows(x, y, due), "Pixel ({}, {}) is 0x{:08X}; 0x{:08X} was due.", x, y, shown.back().At(x, y), due);
      }
    }
  }

 private:
  static constexpr std::uint32_t kBelow = 0x31000000, kAbove = 0x52000000;
  UserDevice& user_;
  // Layer 0 is the top layer.
  std::array<D3DKMT_HANDLE, 2> surfaces_{};
  std::array<D3DKMT_MULTIPLANE_OVERLAY3, 2> planes_{};
  const std::array<D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3, 2> attributes_{PlaneAttributes({3, 2, 23, 12}, {10, 5, 30, 15}),
                                                                         PlaneAttributes(kWhole, kWhole)};
};

void PlanesLieOnEachOther(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  TwoPlanes planes(user);
  planes.Present(TwoPlanes::Upper::kOn);
  TwoPlanes::RequireShown(rig, TwoPlanes::Upper::kOn);
}

void PlanesGoOff(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  TwoPlanes planes(user);
  for (const auto upper : {TwoPlanes::Upper::kOff, TwoPlanes::Upper::kLeftOut}) {
    planes.Present(TwoPlanes::Upper::kOn);
    TwoPlanes::RequireShown(rig, TwoPlanes::Upper::kOn);
    planes.Present(upper);
    TwoPlanes::RequireShown(rig, upper);
  }
}

}  // namespace

std::span<const Rule> OverlayRules() {
  static constexpr std::array kOverlayRules{
      Rule{"Overlay.StaticCheck", "A check with StaticCheck is answered alone and changes no answer to a present.",
           "WDDM cross-adapter scan-out, Supporting StaticCheck flag", Needs::kDisplay, &StaticCheckChangesNothing},
      Rule{"Overlay.Planes", "Planes that a check accepted are shown together, layer 0 on top.",
           "DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3", Needs::kDisplay, &PlanesLieOnEachOther},
      Rule{"Overlay.Off", "A plane with Enabled 0 is not shown any more.",
           "Multiplane overlay VidPN presentation; DXGK_PLANE_SPECIFIC_INPUT_FLAGS", Needs::kDisplay, &PlanesGoOff},
  };
  return kOverlayRules;
}

}  // namespace tandem::conform
