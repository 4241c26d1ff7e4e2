// Cross-adapter tiers: a driver's declared tier and the abilities that it requires.
#include <array>

#include "conform/overlay_question.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kTierScanOut = 3;

template <class Answer>
Answer Query(const UserDevice& user, KMTQUERYADAPTERINFOTYPE type) {
  Answer answer{};
  const D3DKMT_QUERYADAPTERINFO query{user.adapter(), type, &answer, sizeof(answer)};
  RequireSuccess(D3DKMTQueryAdapterInfo(&query), "D3DKMTQueryAdapterInfo");
  return answer;
}

// Adapter start checks that a tier includes the lower ones.
void TiersIncludeEachOther(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const auto support = Query<D3DKMT_CROSSADAPTERRESOURCE_SUPPORT>(user, KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT);
  const auto older = Query<D3DKMT_WDDM_1_3_CAPS>(user, KMTQAITYPE_WDDM_1_3_CAPS);
  const std::string refusal = rig.Description(rig.render()).tier_refusal;
  Require(refusal.empty(), "{}", refusal);
  const int tier = support.SupportTier;
  Require((older.SupportCrossAdapterResource != 0) == (tier >= 1), "Tier {}, and SupportCrossAdapterResource is {}.", tier,
          static_cast<unsigned>(older.SupportCrossAdapterResource));
  if (tier == 0) throw NotApplicable("The driver declares no cross-adapter tier.");
  const SurfaceRequest request{100, 20, SurfaceUse::kCrossAdapter};
  const Surface source = user.Create(request), destination = user.Create(request);
  user.Paint(source, 0x13000000);
  RequireSuccess(user.Copy(source, destination, {}), "A copy between cross-adapter surfaces, tier 1,");
  user.Finish();
  Require(user.Read(destination) == user.Read(source),
          "Tier {} is declared, and a copy between cross-adapter surfaces loses bytes.", tier);
}

void RequireWddm30(Rig& rig) {
  if (rig.Description(rig.display()).wddm_version < static_cast<std::uint32_t>(DXGKDDI_WDDMv3_0))
    throw NotApplicable("The driver is older than WDDM 3.0.");
}

// Adapter start checks the declared tier; here the driver demonstrates it.
void IntegratedScansOut(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  if (Query<D3DKMT_ADAPTERTYPE>(user, KMTQAITYPE_ADAPTERTYPE).HybridIntegrated == 0)
    throw NotApplicable("The driver is not HybridIntegrated.");
  RequireWddm30(rig);
  const std::uint32_t tier = rig.Description(rig.display()).cross_adapter_tier;
  Require(tier == kTierScanOut, "A HybridIntegrated driver declares tier {}.", tier);
  const Surface surface = user.Create({64, 32, SurfaceUse::kCrossAdapter});
  user.Paint(surface, 0x14000000);
  RequireSuccess(user.Flip(surface, D3DDDI_FLIPINTERVAL_ONE), "A flip of a HybridIntegrated driver to a cross-adapter surface");
  Require(rig.output().AwaitShown(1), "A HybridIntegrated driver takes a flip to a cross-adapter surface and shows nothing.");
  user.Finish();
  const ShownPicture picture = rig.output().shown().back();
  Require(picture.width == 64 && picture.Shows(63, 31, UserDevice::Painted(0x14000000, 63, 31)),
          "A HybridIntegrated driver shows other pixels than the cross-adapter surface has.");
}

bool IsSupported(const UserDevice& user, const Surface& surface) {
  const RECT whole{0, 0, static_cast<LONG>(surface.request.width), static_cast<LONG>(surface.request.height)};
  return AskOverlay(user, surface, PlaneAttributes(whole, whole), OverlayQuestion::kStatic);
}

// The minimum of tier 3 has enough bandwidth when nothing else is on the screen.
void ScanOutIsAnswered(Rig& rig) {
  UserDevice display = rig.OpenDisplay();
  if (rig.Description(rig.display()).cross_adapter_tier < kTierScanOut)
    throw NotApplicable("The driver does not declare scan-out of cross-adapter resources.");
  RequireWddm30(rig);
  for (const auto& [width, height] : {std::pair{1920u, 1080u}, {1280u, 720u}, {64u, 64u}}) {
    const Surface surface = display.Create({width, height, SurfaceUse::kCrossAdapter});
    for (int asked = 1; asked <= 3; ++asked) {
      Require(IsSupported(display, surface), "A plane of {} x {} with StaticCheck is refused when it is asked for {} times.",
              width, height, asked);
    }
    RequireSuccess(display.Destroy(surface), "D3DKMTDestroyAllocation2");
  }
  Require(rig.output().shown().empty(), "A plane that was asked about is shown.");
}

constexpr std::array<Rule, 3> kTierRules{{
    {"CrossAdapter.Tiers", "Each tier of cross-adapter support includes those below it, and user mode is told the same.",
     "Supporting cross-adapter resource scan-out, Indicating tier support", Needs::kRender, &TiersIncludeEachOther},
    {"CrossAdapter.HybridIntegrated",
     "From WDDM 3.0 a HybridIntegrated driver declares scan-out of cross-adapter resources, and shows them.",
     "Supporting cross-adapter resource scan-out, HybridIntegrated special case", Needs::kDisplay, &IntegratedScansOut},
    {"CrossAdapter.OverlayCheck",
     "A driver that scans out cross-adapter resources answers StaticCheck for them, always the same, and shows nothing by it.",
     "Supporting cross-adapter resource scan-out, Supporting StaticCheck; HLK testing", Needs::kDisplay, &ScanOutIsAnswered,
     "StaticCheck is bit 2, as in the header; the page of DXGK_MULTIPLANE_OVERLAY_FLAGS gives that bit to "
     "PanelFitterPostComposition."},
}};

}  // namespace

std::span<const Rule> TierRules() { return kTierRules; }

}  // namespace tandem::conform
