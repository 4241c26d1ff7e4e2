// The feature query: what the driver says of its half, and what it hands out for it.
#include <array>

#include <d3dkmthk.h>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::string_view kSource = "WDDM feature support and enablement";

// Closes the handle when the body ends, however it ends.
class OpenAdapter {
 public:
  explicit OpenAdapter(LUID luid) {
    D3DKMT_OPENADAPTERFROMLUID open{luid, 0};
    RequireSuccess(D3DKMTOpenAdapterFromLuid(&open), "D3DKMTOpenAdapterFromLuid");
    handle_ = open.hAdapter;
  }
  ~OpenAdapter() {
    const D3DKMT_CLOSEADAPTER close{handle_};
    D3DKMTCloseAdapter(&close);
  }
  OpenAdapter(const OpenAdapter&) = delete;
  OpenAdapter& operator=(const OpenAdapter&) = delete;
  [[nodiscard]] D3DKMT_HANDLE handle() const { return handle_; }

 private:
  D3DKMT_HANDLE handle_ = 0;
};

void EveryFeatureHasOneAnswer(Rig& rig) {
  const OpenAdapter adapter(rig.render());
  const auto states = rig.kernel().FeatureStates(rig.render());
  Require(states.ok(), "The features of the adapter cannot be read: {}", states.ok() ? "" : states.error().message);
  for (std::size_t i = 0; i < states->size(); ++i) {
    const kernel::Feature& feature = kernel::Kernel::Features()[i];
    const kernel::FeatureState& state = (*states)[i];
    if (!feature.driver) continue;
    Require(state.queried, "{} was not asked for when the driver started.", feature.name);
    D3DKMT_ISFEATUREENABLED query{};
    query.hAdapter = adapter.handle();
    query.FeatureId = feature.id;
    RequireSuccess(D3DKMTIsFeatureEnabled(&query), "D3DKMTIsFeatureEnabled");
    Require(query.Result.Version == state.result.Version && query.Result.Value == state.result.Value,
            "{} is {:#x} for user mode and {:#x} for the kernel.", feature.name, query.Result.Value + 0, state.result.Value + 0);
  }
}

void EnabledFeaturesHandOutTheirInterfaces(Rig& rig) {
  const auto asked = rig.kernel().AskFeatureInterfaces(rig.render());
  Require(asked.ok(), "{}", asked.ok() ? "" : asked.error().message);
  if (*asked == 0) throw NotApplicable("The driver has no feature with an interface enabled.");
}

constexpr std::array<Rule, 2> kRules{{
    {"Feature.Query",
     "A driver says of each of its features once, and in a valid range, whether and in which versions it has it.", kSource,
     Needs::kRender, &EveryFeatureHasOneAnswer,
     "The published sample table has no row for GPUVAIOMMU, so its NATIVE_FENCE is one too low; the ids are those of the "
     "header."},
    {"Feature.Interface", "An enabled feature hands out the interface of its version, of that version's size, the rest zeroed.",
     kSource, Needs::kRender, &EnabledFeaturesHandOutTheirInterfaces},
}};

}  // namespace

std::span<const Rule> FeatureRules() { return kRules; }

}  // namespace tandem::conform
