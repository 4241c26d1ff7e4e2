#include "kernel/kernel.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/limits.h"
#include "base/status_name.h"
#include "base/thread.h"
#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/system_display.h"
#include "kernel/feature/feature_rows.h"
#include "kernel/feature/remote_feature_host.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/memory/standard_surface.h"
#include "kernel/present/pointer.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

// LUIDs are unique in the process, over all kernels that it ever has.
std::atomic<ULONG> next_luid{0x10000};

// Objects that adapters use as long as they live. They outlive the kernel when a driver does not return from a call.
struct KernelState {
  KernelState(Clock& clock, const FeatureRegistry& registry) : features(registry), system(clock, features) {}

  KernelFeatures features;
  System system;
  Mutex mutex;
  std::vector<std::unique_ptr<Driver>> drivers TANDEM_GUARDED_BY(mutex);
};

// States of kernels that are gone and whose adapters cannot go. Never freed.
struct Abandoned {
  Mutex mutex;
  std::vector<std::unique_ptr<KernelState>> states TANDEM_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<AdapterInstance>> units TANDEM_GUARDED_BY(mutex);
};
Abandoned& TheAbandoned() {
  static auto* const abandoned = new Abandoned;
  return *abandoned;
}

class KernelImpl final : public Kernel {
 public:
  KernelImpl(Clock& clock, const TdrSettings& tdr, const TrialSettings& trial, const FeatureRegistry& features)
      : clock_(clock), tdr_(tdr), trial_(trial), state_(std::make_unique<KernelState>(clock, features)) {}
  KernelImpl(const KernelImpl&) = delete;
  KernelImpl& operator=(const KernelImpl&) = delete;

  ~KernelImpl() override {
    auto units = state_->system.Units();
    while (!units.empty()) {
      static_cast<void>(RemoveAdapter(units.back()->description().luid));
      units.pop_back();
    }
    System::Uninstall(state_->system);
    if (!abandons_.load()) {
      state_->system.DrainCalls();
      return;
    }
    const MutexLock lock(TheAbandoned().mutex);
    TheAbandoned().states.push_back(std::move(state_));
  }

  [[nodiscard]] bool Install() { return System::Install(state_->system); }

  Result<Driver*> LoadDriver(DRIVER_INITIALIZE* entry, std::string name) override {
    auto driver = kernel::LoadDriver(entry, std::move(name), state_->features);
    if (!driver.ok()) return std::move(driver).error();
    const MutexLock lock(state_->mutex);
    state_->drivers.push_back(*std::move(driver));
    return state_->drivers.back().get();
  }

  using Kernel::AddAdapter;
  Result<LUID> AddAdapter(Driver& driver, void* device_extension, std::string name, AdapterVisibility visibility) override {
    if (state_->system.Units().size() >= kMaxAdapters) {
      return Fail(ErrorKind::kLimit, "Adapter {} would pass the limit of {}.", state_->system.Units().size() + 1, kMaxAdapters);
    }
    LUID luid{};
    luid.LowPart = next_luid.fetch_add(1);
    auto adapter = StartAdapter(driver, device_extension, name, luid, visibility, clock_);
    if (!adapter.ok()) return std::move(adapter).error();
    (*adapter)->SetTrial(trial_);
    AdapterDescription description = Describe(**adapter, driver, std::move(name));
    description.visibility = visibility;
    auto unit = AdapterInstance::Create(*std::move(adapter), state_->system.handles(), description, tdr_);
    if (!unit.ok()) return std::move(unit).error();
    state_->system.AddUnit(*unit);
    return luid;
  }

  Result<void> RemoveAdapter(LUID luid) override {
    const auto unit = state_->system.TakeUnit(luid);
    if (unit == nullptr) return NoAdapter(luid);
    if (unit->Remove()) return {};
    abandons_.store(true);
    const MutexLock lock(TheAbandoned().mutex);
    TheAbandoned().units.push_back(unit);
    return Fail(ErrorKind::kTimeout, "Adapter {} cannot be removed: {}", unit->description().name, unit->Violation());
  }

  Result<void> SurpriseRemoveAdapter(LUID luid) override {
    const auto told = OnLiveUnit(luid, [](AdapterInstance& unit) { return NotifySurpriseRemoval(unit.adapter()); });
    if (!told.ok() && told.error().kind == ErrorKind::kNotFound) return told;
    return RemoveAdapter(luid);
  }

  Result<SystemDisplay> EnableSystemDisplay(LUID luid) override {
    return OnLiveUnit(luid, [](AdapterInstance& unit) { return kernel::EnableSystemDisplay(unit.adapter()); });
  }

  Result<void> WriteSystemDisplay(LUID luid, const SystemBlock& block) override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) { return kernel::WriteSystemDisplay(unit.adapter(), block); });
  }

  Result<void> SetTargets(LUID luid, std::uint32_t vidpn_source, std::span<const SourceTarget> targets) override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) { return unit.presenter().modes().SetTargets(vidpn_source, targets); });
  }

  Result<void> SetPalette(LUID luid, std::uint32_t vidpn_source, std::uint32_t first,
                          std::span<const D3DKMDT_PALETTEDATA> entries) override {
    return OnLiveUnit(luid,
                      [&](AdapterInstance& unit) { return unit.presenter().modes().SetPalette(vidpn_source, first, entries); });
  }

  Result<void> SetVisibility(LUID luid, std::uint32_t vidpn_source, bool visible) override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) { return unit.presenter().modes().SetVisibility(vidpn_source, visible); });
  }

  Result<SourceModeOffer> ClosestMode(LUID luid, std::uint32_t vidpn_source, std::uint32_t width, std::uint32_t height) override {
    return OnLiveUnit(luid,
                      [&](AdapterInstance& unit) { return unit.presenter().modes().ClosestMode(vidpn_source, width, height); });
  }

  Result<void> SetPointerShape(LUID luid, std::uint32_t vidpn_source, const PointerShape& shape) override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) { return kernel::SetPointerShape(unit.adapter(), vidpn_source, shape); });
  }

  Result<void> SetPointerPosition(LUID luid, std::uint32_t vidpn_source, const PointerPosition& position) override {
    return OnLiveUnit(luid,
                      [&](AdapterInstance& unit) { return kernel::SetPointerPosition(unit.adapter(), vidpn_source, position); });
  }

  Result<bool> Preempt(LUID luid, std::uint32_t node) override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) -> Result<bool> {
      if (node >= unit.adapter().node_count()) return Fail(ErrorKind::kNotFound, "The adapter has no node {}.", node);
      return unit.scheduler().recovery().ForcePreemption(node);
    });
  }

  Result<FenceProgress> QueryFence(LUID luid, std::uint32_t node) override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) -> Result<FenceProgress> {
      if (node >= unit.adapter().node_count()) return Fail(ErrorKind::kNotFound, "The adapter has no node {}.", node);
      FenceProgress progress;
      const NTSTATUS status = unit.scheduler().recovery().QueryFence(node, progress);
      if (NT_SUCCESS(status)) return progress;
      return Fail(ErrorKind::kUnsupported, "DxgkDdiQueryCurrentFence answered 0x{:08X}.", static_cast<std::uint32_t>(status));
    });
  }

  Result<void> SetFeatureOverrides(const std::vector<FeatureOverride>& overrides) override {
    return state_->features.SetOverrides(overrides);
  }

  [[nodiscard]] Result<std::vector<FeatureState>> FeatureStates(LUID luid) const override {
    return OnLiveUnit(
        luid, [](AdapterInstance& unit) -> Result<std::vector<FeatureState>> { return unit.adapter().features().States(); });
  }

  Result<std::uint32_t> AskFeatureInterfaces(LUID luid) override {
    return OnLiveUnit(luid, [](AdapterInstance& unit) -> Result<std::uint32_t> {
      AdapterFeatures& features = unit.adapter().features();
      std::uint32_t count = 0;
      for (const FeatureState& state : features.States()) {
        if (!state.queried || state.result.Enabled == 0) continue;
        const auto interface = features.DriverInterface(state.id);
        if (!interface.ok() && interface.error().kind == ErrorKind::kInternal) return interface.error();
        if (interface.ok() && interface->size != 0) ++count;
      }
      return count;
    });
  }

  Result<NTSTATUS> QueryChildStatus(LUID luid, DXGK_CHILD_STATUS& status) override {
    return OnLiveUnit(luid, [&](AdapterInstance& instance) -> Result<NTSTATUS> {
      Adapter& adapter = instance.adapter();
      const auto ddi = adapter.ddi().DxgkDdiQueryChildStatus;
      if (ddi == nullptr) return Fail(ErrorKind::kUnsupported, "The driver has no DxgkDdiQueryChildStatus.");
      return CallDdi(adapter, Ddi::kQueryChildStatus, ddi, adapter.miniport_context(), &status, BOOLEAN{TRUE});
    });
  }

  [[nodiscard]] Result<MonitorDescription> Monitor(LUID luid, std::uint32_t target) const override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) -> Result<MonitorDescription> {
      const std::vector<ULONG>& targets = unit.adapter().targets();
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
        return Fail(ErrorKind::kNotFound, "Target {} is not one of the adapter's {}.", target, targets.size());
      }
      return unit.adapter().monitors().Of(target);
    });
  }

  Result<StandardSurfaceData> DescribeStandardSurface(LUID luid, const StandardSurfaceRequest& request) override {
    return OnLiveUnit(luid, [&](AdapterInstance& unit) -> Result<StandardSurfaceData> {
      if (request.type == StandardSurface::kCrossAdapterTexture && unit.description().cross_adapter_tier == 0)
        return Fail(ErrorKind::kUnsupported, "The adapter has no cross-adapter tier.");
      if (unit.description().compute_only) return Fail(ErrorKind::kUnsupported, "The adapter only computes.");
      StandardSurfaceData data;
      const NTSTATUS status = kernel::DescribeStandardSurface(unit.adapter(), request, data);
      if (NT_SUCCESS(status)) return data;
      return Fail(ErrorKind::kUnsupported, "DxgkDdiGetStandardAllocationDriverData answered {}.", StatusText(status));
    });
  }

  Result<void> ServeGuest(LUID luid, UniqueFd socket) override {
    const auto unit = state_->system.FindUnit(luid);
    if (unit == nullptr) return NoAdapter(luid);
    return unit->ServeGuest(std::move(socket));
  }

  Result<void> JoinHost(UniqueFd socket) override {
    auto host = RemoteFeatureHost::Create(std::move(socket), clock_);
    if (!host.ok()) return std::move(host).error();
    if (const std::string reason = (*host)->broken(); !reason.empty()) {
      return Fail(ErrorKind::kDeviceLost, "The host gives no welcome: {}", reason);
    }
    state_->features.SetHost(*std::move(host));
    return {};
  }

  void SetBackingStorePreference(BackingStoreKind kind) override { state_->system.SetBackingKind(kind); }
  void SetDmaBufSource(std::shared_ptr<DmaBufSource> source) override { state_->system.SetDmaBufSource(std::move(source)); }

  [[nodiscard]] std::vector<AdapterDescription> Adapters() const override {
    std::vector<AdapterDescription> descriptions;
    for (const auto& unit : state_->system.Units()) descriptions.push_back(unit->description());
    return descriptions;
  }

  [[nodiscard]] Result<AdapterCounters> Counters(LUID luid) const override {
    const auto unit = state_->system.FindUnit(luid);
    if (unit == nullptr) return NoAdapter(luid);
    return unit->Counters();
  }

  [[nodiscard]] Result<std::string> Violation(LUID luid) const override {
    const auto unit = state_->system.FindUnit(luid);
    if (unit == nullptr) return NoAdapter(luid);
    return unit->Violation();
  }

  [[nodiscard]] Result<std::string> Overrun(LUID luid) const override {
    return OnLiveUnit(luid, [](AdapterInstance& unit) -> Result<std::string> { return unit.adapter().overrun(); });
  }

  [[nodiscard]] Result<std::vector<TimeoutReport>> Timeouts(LUID luid) const override {
    const auto unit = state_->system.FindUnit(luid);
    if (unit == nullptr) return NoAdapter(luid);
    return unit->Timeouts();
  }

 private:
  static Error NoAdapter(LUID luid) {
    return Fail(ErrorKind::kNotFound, "There is no adapter {:08x}:{:08x}.", luid.HighPart, luid.LowPart);
  }

  // Calls `use(unit)` as a call that is inside the adapter. kNotFound, kDeviceLost.
  template <class Use>
  auto OnLiveUnit(LUID luid, Use&& use) const -> decltype(use(std::declval<AdapterInstance&>())) {
    const auto unit = state_->system.FindUnit(luid);
    if (unit == nullptr) return NoAdapter(luid);
    const AdapterGuard guard(*unit);
    if (!guard.alive()) return Fail(ErrorKind::kDeviceLost, "Adapter {} is stopped.", unit->description().name);
    return use(*unit);
  }

  static std::uint32_t CopyNode(Adapter& adapter) {
    if (adapter.ddi().DxgkDdiCreateContext == nullptr) return 0;  // without contexts there is one engine for programs
    const auto ask = adapter.ddi().DxgkDdiGetNodeMetadata;
    for (UINT node = 0; ask != nullptr && node < adapter.caps().GpuEngineTopology.NbAsymetricProcessingNodes; ++node) {
      DXGKARG_GETNODEMETADATA metadata{};
      const NTSTATUS status = CallDdi(adapter, Ddi::kGetNodeMetadata, ask, adapter.miniport_context(), node, &metadata);
      if (NT_SUCCESS(status) && metadata.EngineType == DXGK_ENGINE_TYPE_COPY) return node;
    }
    return 0;
  }

  static AdapterDescription Describe(Adapter& adapter, const Driver& driver, std::string name) {
    AdapterDescription description;
    description.luid = adapter.luid();
    description.name = std::move(name);
    description.driver_name = driver.name();
    description.wddm_version = static_cast<std::uint32_t>(adapter.caps().WDDMVersion);
    const DXGK_VIDMMCAPS& caps = adapter.caps().MemoryManagementCaps;
    description.cross_adapter_tier = caps.CrossAdapterResourceScanout   ? 3
                                     : caps.CrossAdapterResourceTexture ? 2
                                     : caps.CrossAdapterResource        ? 1
                                                                        : 0;
    description.compute_only = adapter.caps().MiscCaps.ComputeOnly != 0;
    description.tier_refusal = adapter.tier_refusal();
    description.vidpn_sources = adapter.vidpn_source_count();
    description.targets = static_cast<std::uint32_t>(adapter.targets().size());
    description.nodes = adapter.node_count();
    for (const SegmentDescription& segment : adapter.segments()) {
      if (!segment.aperture) description.local_memory_bytes += segment.size;
    }
    description.copy_node = CopyNode(adapter);
    description.pointer = PointerCapsOf(adapter);
    return description;
  }

  Clock& clock_;
  const TdrSettings tdr_;
  const TrialSettings trial_;
  std::unique_ptr<KernelState> state_;
  std::atomic<bool> abandons_{false};
};

}  // namespace

std::span<const Feature> Kernel::Features() { return BuiltInFeatures(); }

Result<void> Kernel::CheckFeatureOverride(const FeatureOverride& change) {
  const auto registry = FeatureRegistry::Create(BuiltInFeatures());
  if (!registry.ok()) return registry.error();
  const auto applied = ApplyOverrides(*registry, {change});
  return applied.ok() ? Result<void>() : applied.error();
}

void Kernel::SetPrologue(void (*prologue)() noexcept) { System::SetPrologue(prologue); }

void Kernel::AbandonInChild() { System::AbandonInChild(); }

Result<std::unique_ptr<Kernel>> Kernel::Create(Clock& clock) { return Create(clock, TdrSettings{}); }

Result<std::unique_ptr<Kernel>> Kernel::Create(Clock& clock, const TdrSettings& tdr) {
  return Create(clock, tdr, TrialSettings{});
}

Result<std::unique_ptr<Kernel>> Kernel::Create(Clock& clock, const TdrSettings& tdr, const TrialSettings& trial) {
  auto features = FeatureRegistry::Create(BuiltInFeatures());
  if (!features.ok()) return std::move(features).error();
  auto kernel = std::make_unique<KernelImpl>(clock, tdr, trial, *features);
  if (!kernel->Install()) return Fail(ErrorKind::kLimit, "This process has a kernel already.");
  return std::unique_ptr<Kernel>(std::move(kernel));
}

}  // namespace tandem::kernel
