#include "kernel/feature/kernel_features.h"

#include <algorithm>
#include <utility>

namespace tandem::kernel {
namespace {

std::atomic<KernelFeatures*> of_process{nullptr};

}  // namespace

KernelFeatures* KernelFeatures::OfProcess() { return of_process.load(std::memory_order_acquire); }

// Without overrides nothing can fail.
KernelFeatures::KernelFeatures(FeatureRegistry registry, FeatureScope scope)
    : registry_(registry), globals_(std::make_unique<Global[]>(registry_.size())), support_(*ApplyOverrides(registry_, {})) {
  PublishGlobals(support_);
  if (scope == FeatureScope::kProcess) of_process.store(this, std::memory_order_release);
}

KernelFeatures::~KernelFeatures() {
  KernelFeatures* self = this;
  of_process.compare_exchange_strong(self, nullptr);
}

Result<void> KernelFeatures::SetOverrides(const std::vector<FeatureOverride>& changes) {
  auto support = ApplyOverrides(registry_, changes);
  if (!support.ok()) return std::move(support).error();
  const MutexLock lock(mutex_);
  PublishGlobals(*support);
  support_ = *std::move(support);
  return {};
}

std::vector<KernelSupport> KernelFeatures::support() const {
  const MutexLock lock(mutex_);
  return support_;
}

void KernelFeatures::SetHost(std::unique_ptr<FeatureHost> host) {
  const MutexLock lock(mutex_);
  host_ = std::move(host);
}

std::unique_ptr<FeatureHost> KernelFeatures::TakeHost() {
  const MutexLock lock(mutex_);
  return std::move(host_);
}

bool KernelFeatures::GlobalEnabled(const FeatureRegistry& registry, const std::vector<KernelSupport>& support,
                                   std::size_t index) {
  return support[index].supported && std::ranges::all_of(registry.at(index).depends_on, [&](DXGK_FEATURE_ID id) {
           return GlobalEnabled(registry, support, registry.IndexOf(id));
         });
}

void KernelFeatures::PublishGlobals(const std::vector<KernelSupport>& support) {
  for (std::size_t index = 0; index < registry_.size(); ++index) {
    if (!registry_.at(index).global) continue;
    DXGK_ISFEATUREENABLED_RESULT result{};
    result.KnownFeature = 1;
    result.SupportedOnCurrentConfig = support[index].supported ? 1 : 0;
    if (GlobalEnabled(registry_, support, index)) {
      result.Enabled = 1;
      result.Version = support[index].versions.max;
    }
    globals_[index].answer.store(ToWord(result), std::memory_order_release);
  }
}

DXGK_ISFEATUREENABLED_RESULT KernelFeatures::QueryGlobal(std::size_t index) {
  Global& global = globals_[index];
  if (!global.queried.load(std::memory_order_relaxed)) global.queried.store(true, std::memory_order_relaxed);
  return ToResult(global.answer.load(std::memory_order_acquire));
}

FeatureState KernelFeatures::GlobalState(std::size_t index) const {
  const Global& global = globals_[index];
  return {registry_.at(index).id, global.queried.load(std::memory_order_relaxed),
          ToResult(global.answer.load(std::memory_order_acquire))};
}

NTSTATUS KernelFeatures::QueryWithoutAdapter(DXGK_FEATURE_ID id, DXGK_ISFEATUREENABLED_RESULT& result) {
  result = {};
  const std::size_t index = registry_.IndexOf(id);
  if (index == FeatureRegistry::kUnknown) return STATUS_SUCCESS;
  if (!registry_.at(index).global) return STATUS_INVALID_PARAMETER;
  result = QueryGlobal(index);
  return STATUS_SUCCESS;
}

NTSTATUS KernelFeatures::QueryBeforeInitialization(DXGKARGCB_ISFEATUREENABLED2& args) {
  args.Result = {};
  if (args.Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  const std::size_t index = registry_.IndexOf(args.FeatureId);
  if (index == FeatureRegistry::kUnknown) return STATUS_SUCCESS;
  if (!registry_.at(index).before_initialization) return STATUS_INVALID_PARAMETER;
  args.Result = QueryGlobal(index);
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
