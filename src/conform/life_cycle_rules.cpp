// Lifetimes in any order, and the interrupt level of each report to the kernel.
#include <array>
#include <memory>
#include <optional>
#include <random>

#include "base/status_name.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr SurfaceRequest kShared{48, 24, SurfaceUse::kMapped};

void StopsAndStarts(Rig& rig) {
  for (std::uint32_t start = 1; start <= 3; ++start) {
    rig.RequireCopy(start << 24);
    rig.RestartRender();
  }
  rig.RequireCopy(0x44000000);
}

// Creates, opens and destroys devices of one adapter and their surfaces at random.
class Lives {
 public:
  Lives(Rig& rig, std::uint32_t seed) : rig_(rig), random_(seed) {}

  void Step() {
    auto& life = lives_[Below(kDevices)];
    if (!life) {
      life = std::make_unique<Life>(rig_);
      return;
    }
    switch (Below(8)) {
      case 0: life.reset(); break;  // destroys its surfaces and queued work as well
      case 1:
      case 2: Keep(*life, life->user.Create({1 + Below(64), 1 + Below(64), SurfaceUse::kCrossAdapter})); break;
      case 3: OpenAnothers(*life); break;
      case 4: DestroyOne(*life); break;
      default: CopyAny(*life); break;
    }
  }

 private:
  static constexpr std::uint32_t kDevices = 4, kSurfaces = 6;
  struct Life {
    explicit Life(const Rig& rig) : user(rig.OpenRender()) {}
    UserDevice user;
    std::array<std::optional<Surface>, kSurfaces> surfaces;
  };

  std::uint32_t Below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void Keep(Life& life, const Surface& surface) {
    auto& place = life.surfaces[Below(kSurfaces)];
    if (place) RequireSuccess(life.user.Destroy(*place), "D3DKMTDestroyAllocation2");
    place = surface;
  }
  void OpenAnothers(Life& life) {
    const auto& other = lives_[Below(kDevices)];
    if (!other) return;
    const auto& surface = other->surfaces[Below(kSurfaces)];
    if (surface) Keep(life, life.user.Open(*surface));
  }
  void DestroyOne(Life& life) {
    auto& place = life.surfaces[Below(kSurfaces)];
    if (!place) return;
    RequireSuccess(life.user.Destroy(*place), "D3DKMTDestroyAllocation2");
    place.reset();
  }
  void CopyAny(Life& life) {
    const auto& source = life.surfaces[Below(kSurfaces)];
    const auto& destination = life.surfaces[Below(kSurfaces)];
    if (source && destination && &source != &destination)
      RequireSuccess(life.user.Copy(*source, *destination, {}), "D3DKMTPresent");
  }

  Rig& rig_;
  std::mt19937 random_;
  std::array<std::unique_ptr<Life>, kDevices> lives_;
};

void DieInAnyOrder(Rig& rig) {
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    Lives lives(rig, rig.Seed(seed));
    for (int step = 0; step < 400; ++step) lives.Step();
  }
  rig.RequireCopy(0x19000000);
}

// Each call names an object that is gone, never existed, or belongs to another device.
void WithoutSenseIsRefused(Rig& rig) {
  rig.RequireCopy(0x51000000);
  UserDevice user = rig.OpenRender(), other = rig.OpenRender();
  const Surface kept = user.Create(kShared), gone = user.Create(kShared), others = other.Create(kShared);
  RequireSuccess(user.Destroy(gone), "D3DKMTDestroyAllocation2");
  const auto refused = [](NTSTATUS status, const char* what) {
    Require(!NT_SUCCESS(status) && status != STATUS_DEVICE_REMOVED, "{} answered {}.", what, StatusText(status));
  };
  refused(user.Destroy(gone), "Destroying an allocation for the second time");
  refused(user.Copy(gone, kept, {}), "A copy from a destroyed allocation");
  refused(user.Copy(kept, gone, {}), "A copy to a destroyed allocation");
  refused(user.Copy(kept, others, {}), "A copy to another device's allocation");
  refused(user.Fill(gone, 0, {}), "A fill of a destroyed allocation");
  const D3DKMT_UNLOCK2 unlock{user.device(), kept.allocation};
  refused(D3DKMTUnlock2(&unlock), "An unlock without a lock");
  const D3DKMT_DESTROYDEVICE destroy{kept.allocation};
  refused(D3DKMTDestroyDevice(&destroy), "Destroying a device that is an allocation");
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = user.device();
  query.hGlobalShare = gone.global_share;
  refused(D3DKMTQueryResourceInfo(&query), "A question about a share that is gone");
  D3DKMT_CREATECONTEXT context{};
  context.hDevice = user.device();
  context.NodeOrdinal = 0xFFFF;
  refused(D3DKMTCreateContext(&context), "A context on a node that is not there");
  rig.RequireCopy(0x52000000);
}

// The kernel checks the level of every interrupt and callback; this work causes them.
void ReportsAtItsLevel(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  for (int i = 0; i < 50; ++i) {
    RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
    user.Finish();
    const auto counters = rig.kernel().Counters(rig.render());
    Require(counters.ok() && counters->lost_interrupts == 0, "Copy {} was complete, and no interrupt and DPC told of it.", i);
  }
}

// Windows hears of an interrupt from any message, and so does the kernel here, which reports the other message as tolerated.
void ReportsFromItsMessage(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
  user.Finish();
}

constexpr std::array<Rule, 5> kLifeCycleRules{{
    {"LifeCycle.Restart", "An adapter that was stopped and removed can be added and started again, and works as before.",
     "DXGKDDI_STOP_DEVICE, DXGKDDI_REMOVE_DEVICE", Needs::kRender, &StopsAndStarts},
    {"LifeCycle.AnyOrder", "Devices, contexts and allocations come and go in any order, with work in flight.",
     "DXGKDDI_CREATEDEVICE, DXGKDDI_OPENALLOCATIONINFO, DXGKDDI_CLOSEALLOCATION", Needs::kRender, &DieInAnyOrder},
    {"LifeCycle.Refused", "Calls in an order without sense are refused, and the adapter works on.",
     "D3DKMT thunks, return values; DXGKDDI_DESTROYALLOCATION", Needs::kRender, &WithoutSenseIsRefused},
    {"Interrupt.Level",
     "Interrupts are told of in the interrupt routine, which claims its own and asks for the DPC; callbacks keep to their IRQL.",
     "DxgkCbNotifyInterrupt, DxgkCbNotifyDpc; appendix of IRQLs", Needs::kRender, &ReportsAtItsLevel},
    {"Interrupt.Message", "Interrupts are told of in the routine of the message that InterruptMessageNumber names.",
     "DXGKCB_NOTIFY_INTERRUPT, Remarks; DXGK_DRIVERCAPS, InterruptMessageNumber", Needs::kRender, &ReportsFromItsMessage,
     "Windows lets other messages pass, and the kernel here does."},
}};

}  // namespace

std::span<const Rule> LifeCycleRules() { return kLifeCycleRules; }

}  // namespace tandem::conform
