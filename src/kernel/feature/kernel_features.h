// The kernel's half of all features: the registry, overrides, and the features that belong to no adapter.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "kernel/feature/feature_answer.h"
#include "kernel/feature/feature_host.h"
#include "kernel/feature/feature_override.h"
#include "kernel/feature/feature_registry.h"

namespace tandem::kernel {

// kPrivate: OfProcess() never finds it.
enum class FeatureScope : std::uint8_t { kProcess, kPrivate };

// Thread-safe. Outlives the drivers and adapters that ask it.
class KernelFeatures {
 public:
  explicit KernelFeatures(FeatureRegistry registry, FeatureScope scope = FeatureScope::kProcess);
  ~KernelFeatures();
  KernelFeatures(const KernelFeatures&) = delete;
  KernelFeatures& operator=(const KernelFeatures&) = delete;

  // For a driver that names no adapter: the kernel that was made last and is still there; null when there is none.
  [[nodiscard]] static KernelFeatures* OfProcess();

  [[nodiscard]] const FeatureRegistry& registry() const { return registry_; }

  // For adapters that start from now on, and for global features at once. Errors: as ApplyOverrides; nothing changes then.
  Result<void> SetOverrides(const std::vector<FeatureOverride>& changes);
  [[nodiscard]] std::vector<KernelSupport> support() const;

  // The adapter that starts next is a guest's, and this is its host.
  void SetHost(std::unique_ptr<FeatureHost> host);
  [[nodiscard]] std::unique_ptr<FeatureHost> TakeHost();

  // The answer to a caller without an adapter. STATUS_INVALID_PARAMETER for an adapter's feature; zeros for an unknown one.
  [[nodiscard]] NTSTATUS QueryWithoutAdapter(DXGK_FEATURE_ID id, DXGK_ISFEATUREENABLED_RESULT& result);
  // `index` names a global feature.
  [[nodiscard]] DXGK_ISFEATUREENABLED_RESULT QueryGlobal(std::size_t index);
  [[nodiscard]] FeatureState GlobalState(std::size_t index) const;

  // DxgkIsFeatureEnabled2. STATUS_INVALID_PARAMETER for a known feature that it does not answer before initialization, and for
  // flags.
  [[nodiscard]] NTSTATUS QueryBeforeInitialization(DXGKARGCB_ISFEATUREENABLED2& args);

 private:
  struct Global {
    std::atomic<FeatureWord> answer{0};
    std::atomic<bool> queried{false};
  };
  // Dependencies of a global feature are global.
  [[nodiscard]] static bool GlobalEnabled(const FeatureRegistry& registry, const std::vector<KernelSupport>& support,
                                          std::size_t index);
  void PublishGlobals(const std::vector<KernelSupport>& support);

  const FeatureRegistry registry_;
  const std::unique_ptr<Global[]> globals_;  // by index; only those of global features are used
  mutable Mutex mutex_;
  std::vector<KernelSupport> support_ TANDEM_GUARDED_BY(mutex_);
  std::unique_ptr<FeatureHost> host_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
