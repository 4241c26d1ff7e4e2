// Leaks of a driver: the process's heap is compared before and after work that leaves nothing behind.
#include <algorithm>
#include <array>
#include <functional>

#include <dlfcn.h>
#include <malloc.h>

#include "base/clock.h"
#include "base/sleep.h"
#include "conform/fail_each.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

std::int64_t HeapBytes() {
  // A sanitizer's heap replaces the system's.
  using CountBytes = std::size_t (*)();
  static const auto sanitizers = reinterpret_cast<CountBytes>(dlsym(RTLD_DEFAULT, "__sanitizer_get_current_allocated_bytes"));
  if (sanitizers != nullptr) return static_cast<std::int64_t>(sanitizers());
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

constexpr RuleSetup kUnloads{.trial = {}, .unloads = true};

constexpr int kWarmUps = 2;
constexpr int kWindows = 3;
constexpr int kRounds = 3;  // per window
constexpr std::int64_t kSettlingNs = 2'000'000'000, kPauseNs = 5'000'000;

// Growth since `before` once it is below `limit`, else after a while: queues of a device free what was destroyed last.
std::int64_t SettledGrowth(std::int64_t before, std::int64_t limit) {
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kSettlingNs;
  std::int64_t growth = HeapBytes() - before;
  while (growth >= limit && MonotonicClock().NowNs() < deadline_ns) {
    SleepFor(MonotonicClock(), kPauseNs);
    growth = HeapBytes() - before;
  }
  return growth;
}

// The smallest heap growth of several windows of rounds is below the limit: caches fill once, a leak continues. `bytes` per
// object is less than a leaked object.
void RequireNoGrowth(std::int64_t objects, std::int64_t bytes, const char* what, const std::function<void()>& round) {
  const std::int64_t limit = kRounds * objects * bytes;
  for (int i = 0; i < kWarmUps; ++i) round();
  std::int64_t least = INT64_MAX;
  for (int window = 0; window < kWindows && least >= limit; ++window) {
    const std::int64_t before = HeapBytes();
    for (int i = 0; i < kRounds; ++i) round();
    least = std::min(least, SettledGrowth(before, limit));
  }
  Require(least < limit, "{} {} were made and destroyed, and {} bytes more are in use; {} are tolerated.", kRounds * objects,
          what, least, limit);
}

void AllocationsAreFreed(Rig& rig) {
  constexpr int kCount = 400;
  UserDevice user = rig.OpenRender();
  RequireNoGrowth(kCount, 16, "allocations", [&user] {
    for (int i = 0; i < kCount; ++i)
      RequireSuccess(user.Destroy(user.Create({8, 8, SurfaceUse::kImage})), "D3DKMTDestroyAllocation2");
  });
}

void OpenedAllocationsAreFreed(Rig& rig) {
  constexpr int kCount = 300;
  UserDevice maker = rig.OpenRender(), other = rig.OpenRender();
  const Surface shared = maker.Create({8, 8, SurfaceUse::kCrossAdapter});
  RequireNoGrowth(kCount, 12, "opened allocations", [&] {
    for (int i = 0; i < kCount; ++i) RequireSuccess(other.Destroy(other.Open(shared)), "D3DKMTDestroyAllocation2");
  });
}

void ContextsAreFreed(Rig& rig) {
  constexpr int kCount = 60;
  RequireNoGrowth(kCount, 16, "devices with a context", [&rig] {
    for (int i = 0; i < kCount; ++i) static_cast<void>(rig.OpenRender());
  });
}

void AdaptersAreFreed(Rig& rig) {
  constexpr int kCount = 2;
  RequireNoGrowth(kCount, 4096, "adapters", [&rig] {
    for (int i = 0; i < kCount; ++i) {
      rig.RequireCopy(0x21000000);
      rig.RestartRender();
    }
  });
}

// Two adapters of one driver; one of them is removed.
void TwinsLiveApart(Rig& rig) {
  constexpr SurfaceRequest kShared{48, 24, SurfaceUse::kMapped};
  const LUID twin = rig.AddTwin();
  UserDevice first = rig.OpenRender();
  const Surface source = first.Create(kShared), destination = first.Create(kShared);
  {
    UserDevice second = rig.OpenTwin(twin);
    const Surface from = second.Create(kShared), to = second.Create(kShared);
    second.Paint(from, 0x11000000);
    first.Paint(source, 0x12000000);
    for (int i = 0; i < 20; ++i) {
      RequireSuccess(second.Copy(from, to, {}), "D3DKMTPresent on a second adapter");
      RequireSuccess(first.Copy(source, destination, {}), "D3DKMTPresent on the first adapter");
    }
    second.Finish();
    first.Finish();
    Require(second.Read(to) == second.Read(from), "A copy on the second adapter has other bytes than its source.");
  }
  const auto removed = rig.kernel().RemoveAdapter(twin);
  Require(removed.ok(), "The second adapter cannot be removed: {}", removed.ok() ? "" : removed.error().message);
  first.Paint(source, 0x13000000);
  RequireSuccess(first.Copy(source, destination, {}), "D3DKMTPresent when the second adapter is gone");
  first.Finish();
  Require(first.Read(destination) == first.Read(source),
          "A copy has other bytes than its source when the second adapter is gone.");
}

// RunTrial() judges what is left when the rig is gone.
void UnloadedDriverLeavesNothing(Rig& rig) {
  if (!rig.HasDriverHost()) throw NotApplicable("The driver has no driver host, which would know what it leaves behind.");
  CrossFrames(rig);
}

constexpr std::array<Rule, 6> kLeakRules{{
    {"Leak.Allocations", "DxgkDdiDestroyAllocation frees what DxgkDdiCreateAllocation made.",
     "DXGKDDI_CREATEALLOCATION, DXGKDDI_DESTROYALLOCATION", Needs::kRender, &AllocationsAreFreed},
    {"Leak.Opened", "DxgkDdiCloseAllocation frees what DxgkDdiOpenAllocation made.",
     "DXGKDDI_OPENALLOCATIONINFO, DXGKDDI_CLOSEALLOCATION", Needs::kRender, &OpenedAllocationsAreFreed},
    {"Leak.Contexts", "DxgkDdiDestroyContext and DxgkDdiDestroyDevice free what was made for them.",
     "DXGKDDI_DESTROYCONTEXT, DXGKDDI_DESTROYDEVICE", Needs::kRender, &ContextsAreFreed},
    {"Leak.Adapter", "An adapter that was stopped and removed leaves nothing behind.",
     "DXGKDDI_STOP_DEVICE, DXGKDDI_REMOVE_DEVICE", Needs::kRender, &AdaptersAreFreed},
    {"Leak.Unloaded",
     "A driver that is unloaded leaves no pool, handle, lock, thread, timer, DPC, work item or mapping behind.",
     "DRIVER_UNLOAD; DXGKDDI_UNLOAD",
     Needs::kTwoAdapters,
     &UnloadedDriverLeavesNothing,
     {},
     kUnloads},
    {"LifeCycle.Twins", "Two adapters of one driver work apart, and one goes on when the other is removed.",
     "DXGKDDI_ADD_DEVICE, MiniportDeviceContext", Needs::kRender, &TwinsLiveApart},
}};

}  // namespace

std::span<const Rule> LeakRules() { return kLeakRules; }

}  // namespace tandem::conform
