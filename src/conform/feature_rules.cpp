// The feature query: the driver's answers and the interfaces that it returns.
#include <array>
#include <vector>

#include <d3dkmthk.h>

#include "conform/rig.h"
#include "conform/rules.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr std::string_view kSource = "WDDM feature support and enablement";

// Closes the handle however the body ends.
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

// The enabled features and their versions.
std::vector<std::uint32_t> Enabled(Rig& rig) {
  const auto states = rig.kernel().FeatureStates(rig.render());
  Require(states.ok(), "The features of the adapter cannot be read: {}", states.ok() ? "" : states.error().message);
  std::vector<std::uint32_t> versions;
  for (const kernel::FeatureState& state : *states) versions.push_back(state.result.Enabled ? state.result.Version : 0u);
  return versions;
}

void RequireTheSameAgain(Rig& rig) {
  const std::vector<std::uint32_t> before = Enabled(rig);
  rig.RestartRender();
  const std::vector<std::uint32_t> after = Enabled(rig);
  for (std::size_t i = 0; i < before.size(); ++i) {
    Require(before[i] == after[i], "{} was at version {} and is at version {} when the adapter was started again.",
            kernel::Kernel::Features()[i].name, before[i], after[i]);
  }
}

void AnswersOfEveryFeature(Rig& rig) {
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

void EveryFeatureHasOneAnswer(Rig& rig) {
  AnswersOfEveryFeature(rig);
  RequireTheSameAgain(rig);
}

std::uint32_t CountInterfaces(Rig& rig) {
  const auto asked = rig.kernel().AskFeatureInterfaces(rig.render());
  Require(asked.ok(), "{}", asked.ok() ? "" : asked.error().message);
  return *asked;
}

void EnabledFeaturesHandOutTheirInterfaces(Rig& rig) {
  const std::uint32_t before = CountInterfaces(rig);
  if (before == 0) throw NotApplicable("The driver has no feature with an interface enabled.");
  rig.RestartRender();
  const std::uint32_t after = CountInterfaces(rig);
  Require(before == after, "{} interfaces were handed out, and {} when the adapter was started again.", before, after);
}

constexpr std::array<Rule, 2> kFeatureRules{{
    {"Feature.Query",
     "A driver says of each of its features once, and in a valid range, whether and in which versions it has it.", kSource,
     Needs::kRender, &EveryFeatureHasOneAnswer,
     "The published sample table has no row for GPUVAIOMMU, so its NATIVE_FENCE is one too low; the ids are those of the "
     "header."},
    {"Feature.Interface", "An enabled feature hands out the interface of its version, of that version's size, the rest zeroed.",
     kSource, Needs::kRender, &EnabledFeaturesHandOutTheirInterfaces},
}};

}  // namespace

std::span<const Rule> FeatureRules() { return kFeatureRules; }

}  // namespace tandem::conform
