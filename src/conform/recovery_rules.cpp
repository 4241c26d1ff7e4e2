// Timeouts: engines and adapters are reset, and other devices continue.
#include <array>
#include <thread>

#include "base/clock.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr SurfaceRequest kShared{96, 64, SurfaceUse::kMapped};
constexpr std::uint32_t kRounds = 3;  // below the kernel's limit per minute
constexpr std::int64_t kLongestResetNs = 15'000'000'000;

// Queues copies that a reset may interrupt anywhere.
void QueueWork(UserDevice& user, const Surface& source, const Surface& destination) {
  user.Paint(source, 0x4D000000);
  for (int i = 0; i < 8; ++i) RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
}

void RequireWork(Rig& rig, std::uint32_t seed) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  user.Paint(source, seed);
  RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent after a reset");
  user.Finish();
  Require(user.Read(destination) == user.Read(source), "A copy after a reset has other bytes than its source.");
}

// The kernel's report is the only sign of a reset; it comes after the recovery is complete.
void AwaitReset(Rig& rig, std::size_t reports) {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kLongestResetNs;
  for (;;) {
    Require(rig.Violations().empty(), "The reset ended the adapter.");
    const auto timeouts = rig.kernel().Timeouts(rig.render());
    if (timeouts.ok() && timeouts->size() >= reports) return;
    Require(MonotonicClock().NowNs() < deadline_ns, "A reset is not over after {} s.", kLongestResetNs / 1'000'000'000);
    std::this_thread::yield();
  }
}

void Recovers(Rig& rig, D3DKMT_TDRDBGCTRLTYPE type) {
  const std::string& ends = rig.render_driver().ends_with_a_timeout;
  if (!ends.empty()) throw NotApplicable(ends);
  for (std::uint32_t round = 1; round <= kRounds; ++round) {
    UserDevice victim = rig.OpenRender();
    QueueWork(victim, victim.Create(kShared), victim.Create(kShared));
    RequireSuccess(victim.ForceTimeout(type, rig.Description(rig.render()).copy_node), "D3DKMTEscape to force a timeout");
    AwaitReset(rig, round);
    RequireWork(rig, round << 24);
  }
}

void AdapterIsReset(Rig& rig) { Recovers(rig, D3DKMT_TDRDBGCTRLTYPE_FORCETDR); }
void EngineIsReset(Rig& rig) { Recovers(rig, D3DKMT_TDRDBGCTRLTYPE_ENGINETDR); }

constexpr std::array<Rule, 2> kRecoveryRules{{
    {"Recovery.Adapter", "An adapter that was reset because of a timeout works on for devices that are made afterwards.",
     "DXGKDDI_RESETFROMTIMEOUT, DXGKDDI_RESTARTFROMTIMEOUT", Needs::kRender, &AdapterIsReset},
    {"Recovery.Engine", "A node whose engine was reset because of a timeout works on.", "DXGKDDI_RESETENGINE", Needs::kRender,
     &EngineIsReset},
}};

}  // namespace

std::span<const Rule> RecoveryRules() { return kRecoveryRules; }

}  // namespace tandem::conform
