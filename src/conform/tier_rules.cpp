// Cross-adapter tiers: what a driver declares, and what it must have with it.
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

// That a tier includes those below is checked when the adapter starts.
void TiersIncludeEachOther(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const auto support = Query<D3DKMT_CROSSADAPTERRESOURCE_SUPPORT>(user, KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT);
  const auto older = Query<D3DKMT_WDDM_1_3_CAPS>(user, KMTQAITYPE_WDDM_1_3_CAPS);
  const int tier = support.SupportTier;
  Require((older.SupportCrossAdapterResource != 0) == (tier >= 1), "Tier {}, and SupportCrossAdapterResource is {}.", tier,
          static_cast<unsigned>(older.SupportCrossAdapterResource));
  if (tier == 0) throw NotApplicable("The driver declares no cross-adapter tier.");
  const Surface surface = user.Create({100, 20, SurfaceUse::kCrossAdapter});
  user.Paint(surface, 0x13000000);
  Require(user.Read(surface).back() == UserDevice::Painted(0x13000000, 99, 19), "A cross-adapter surface loses its bytes.");
}

void IntegratedScansOut(Rig& rig) {
  const UserDevice user = rig.OpenRender();
  if (Query<D3DKMT_ADAPTERTYPE>(user, KMTQAITYPE_ADAPTERTYPE).HybridIntegrated == 0)
    throw NotApplicable("The driver is not HybridIntegrated.");
  const kernel::AdapterDescription adapter = rig.Description(rig.render());
  if (adapter.wddm_version < static_cast<std::uint32_t>(DXGKDDI_WDDMv3_0))
    throw NotApplicable("The driver is older than WDDM 3.0.");
  Require(adapter.cross_adapter_tier == kTierScanOut, "A HybridIntegrated driver declares tier {}.", adapter.cross_adapter_tier);
}

bool IsSupported(const UserDevice& user, const Surface& surface) {
  const RECT whole{0, 0, static_cast<LONG>(surface.request.width), static_cast<LONG>(surface.request.height)};
  return AskOverlay(user, surface, PlaneAttributes(whole, whole), OverlayQuestion::kStatic);
}

// With nothing else on the screen the minimum of tier 3 has the bandwidth that it needs.
void ScanOutIsAnswered(Rig& rig) {
  UserDevice display = rig.OpenDisplay();
  if (rig.Description(rig.display()).cross_adapter_tier < kTierScanOut)
    throw NotApplicable("The driver does not declare scan-out of cross-adapter resources.");
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

constexpr std::array<Rule, 3> kRules{{
    {"CrossAdapter.Tiers", "Each tier of cross-adapter support includes those below it, and user mode is told the same.",
     "Supporting cross-adapter resource scan-out, Indicating tier support", Needs::kRender, &TiersIncludeEachOther},
    {"CrossAdapter.HybridIntegrated", "From WDDM 3.0 a HybridIntegrated driver declares scan-out of cross-adapter resources.",
     "Supporting cross-adapter resource scan-out, HybridIntegrated special case", Needs::kRender, &IntegratedScansOut},
    {"CrossAdapter.OverlayCheck",
     "A driver that scans out cross-adapter resources answers StaticCheck for them, always the same, and shows nothing by it.",
     "Supporting cross-adapter resource scan-out, Supporting StaticCheck; HLK testing", Needs::kDisplay, &ScanOutIsAnswered,
     "StaticCheck is bit 2, as in the header; the page of DXGK_MULTIPLANE_OVERLAY_FLAGS gives that bit to "
     "PanelFitterPostComposition."},
}};

}  // namespace

std::span<const Rule> TierRules() { return kRules; }

}  // namespace tandem::conform
