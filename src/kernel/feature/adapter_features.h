// The features of one adapter: negotiated between the kernel's half, the driver's and, in a guest, the host's; asked once,
// answered from then on without a lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/condition.h"
#include "base/result.h"
#include "base/thread.h"
#include "kernel/feature/feature_answer.h"
#include "kernel/feature/kernel_features.h"

namespace tandem::kernel {

// A feature is on when the kernel's half is there, after overrides, and its dependencies are on. The driver must support a
// feature of the driver on this configuration, in a version that the kernel has, too. In a guest the mode decides what the host
// has to say. The version is the highest that all sides have.
//
// Threads: any, at PASSIVE_LEVEL. One thread negotiates at a time; it may come back in from inside the driver, for another
// feature than the one that the driver is being asked for.
class AdapterFeatures {
 public:
  // The driver's half, and what the rooms above offer to it. Called by the negotiating thread.
  class Driver {
   public:
    virtual ~Driver() = default;
    // The driver has DXGKDDI_FEATURE_INTERFACE. A driver without it declares features by DxgkCbQueryFeatureSupport.
    [[nodiscard]] virtual bool has_interface() const = 0;
    virtual NTSTATUS QueryFeatureSupport(DXGKARG_QUERYFEATURESUPPORT& args) = 0;
    virtual NTSTATUS QueryFeatureInterface(DXGKARG_QUERYFEATUREINTERFACE& args) = 0;
    // The kernel's side of a feature; of the size that the registry says, empty when there is none.
    [[nodiscard]] virtual std::span<const std::byte> KernelInterface(DXGK_FEATURE_ID id, DXGK_FEATURE_VERSION version) const = 0;
    virtual void ReportViolation(const char* rule, const std::string& seen) = 0;
  };

  // The driver's side of an enabled feature: function pointers in the first `size` bytes, zeros behind them.
  struct Interface {
    DXGK_FEATURE_VERSION version = 0;
    std::uint16_t size = 0;  // 0: this version has none
    alignas(void*) std::array<std::byte, kMaxFeatureInterfaceBytes> bytes{};
  };

  // Takes the overrides and the host that `kernel` has now. Both outlive the object.
  AdapterFeatures(KernelFeatures& kernel, Driver& driver);

  // All zeros for an unknown feature. Negotiates when nobody asked before.
  [[nodiscard]] DXGK_ISFEATUREENABLED_RESULT Query(DXGK_FEATURE_ID id) {
    const std::size_t index = registry_.IndexOf(id);
    if (index == FeatureRegistry::kUnknown) return {};
    const FeatureWord word = slots_[index].answer.load(std::memory_order_acquire);
    return (word & kAnswered) != 0 ? ToResult(word) : QuerySlowly(index);
  }
  // Query for callers that name an adapter or none (`of_adapter`): STATUS_INVALID_PARAMETER when that does not fit the feature.
  [[nodiscard]] NTSTATUS QueryOfAdapter(DXGK_FEATURE_ID id, DXGK_ISFEATUREENABLED_RESULT& result);

  // Asks for every feature that depends on the driver: once, when the driver has started.
  void QueryAll();

  // DxgkCbQueryFeatureSupport: a driver without the interface says `state` (DXGK_FEATURE_SUPPORT_*), which means version 1. True
  // when the feature is on. A feature that depends on this one is asked for after it.
  [[nodiscard]] bool Declare(DXGK_FEATURE_ID id, UINT state);

  // DXGKCB_QUERYFEATUREINTERFACE. Writes back the interface's own size, 0 with an error. STATUS_NOT_SUPPORTED for a feature that
  // is not on, STATUS_INVALID_PARAMETER for a version that was not offered or has no interface, STATUS_BUFFER_TOO_SMALL.
  [[nodiscard]] NTSTATUS QueryKernelInterface(DXGKARGCB_QUERYFEATUREINTERFACE& args);

  // The driver's interface of an enabled feature at its version; asked once. kUnsupported when the feature is not on, kInternal
  // when the driver broke a rule.
  [[nodiscard]] Result<Interface> DriverInterface(DXGK_FEATURE_ID id);

  // The versions within `versions` at which the feature is on here. Empty for features that no guest may have.
  [[nodiscard]] VersionRange AnswerGuest(DXGK_FEATURE_ID id, VersionRange versions);

  // Every feature of the registry, in its order; asks nobody.
  [[nodiscard]] std::vector<FeatureState> States() const;

 private:
  struct Slot {
    std::atomic<FeatureWord> answer{0};
    VersionRange common;  // written before `answer`
    // The rest belongs to the thread whose turn it is.
    bool asking = false;
    bool provisional = false;  // a driver without the interface has declared nothing yet
    std::optional<UINT> declared;
    std::optional<Interface> driver_interface;
  };
  // Answers of the driver.
  struct Offer {
    bool supported = false;
    bool on_config = false;
    VersionRange versions;
  };
  // One thread at a time; the same thread may take several.
  class Turn {
   public:
    explicit Turn(AdapterFeatures& features);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    AdapterFeatures& features_;
  };

  [[nodiscard]] DXGK_ISFEATUREENABLED_RESULT QuerySlowly(std::size_t index);
  [[nodiscard]] DXGK_ISFEATUREENABLED_RESULT Negotiate(std::size_t index);
  [[nodiscard]] Offer AskDriver(std::size_t index);
  [[nodiscard]] Offer AskInterface(const Feature& feature, bool allow_experimental);
  [[nodiscard]] VersionRange WithHost(const Feature& feature, VersionRange own, VersionRange kernel);
  [[nodiscard]] bool DependenciesEnabled(const Feature& feature);

  KernelFeatures& kernel_;
  const FeatureRegistry& registry_;
  Driver& driver_;
  const std::vector<KernelSupport> support_;  // by index
  const std::unique_ptr<FeatureHost> host_;   // null unless this is a guest
  const std::unique_ptr<Slot[]> slots_;       // by index
  Mutex mutex_;
  Condition turn_ended_;
  std::thread::id turn_ TANDEM_GUARDED_BY(mutex_);
  int turn_depth_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace tandem::kernel
