#include "kernel/feature/adapter_features.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "kernel/feature/feature_rules.h"

namespace tandem::kernel {

AdapterFeatures::Turn::Turn(AdapterFeatures& features) : features_(features) {
  const std::thread::id self = std::this_thread::get_id();
  MutexLock lock(features_.mutex_);
  while (features_.turn_depth_ != 0 && features_.turn_ != self) features_.turn_ended_.Wait(lock.native());
  features_.turn_ = self;
  ++features_.turn_depth_;
}

AdapterFeatures::Turn::~Turn() {
  const MutexLock lock(features_.mutex_);
  if (--features_.turn_depth_ == 0) features_.turn_ended_.NotifyOne();
}

AdapterFeatures::AdapterFeatures(KernelFeatures& kernel, Driver& driver)
    : kernel_(kernel),
      registry_(kernel.registry()),
      driver_(driver),
      support_(kernel.support()),
      host_(kernel.TakeHost()),
      slots_(std::make_unique<Slot[]>(registry_.size())) {}

NTSTATUS AdapterFeatures::QueryOfAdapter(DXGK_FEATURE_ID id, DXGK_ISFEATUREENABLED_RESULT& result) {
  result = {};
  const std::size_t index = registry_.IndexOf(id);
  if (index != FeatureRegistry::kUnknown && registry_.at(index).global) return STATUS_INVALID_PARAMETER;
  result = Query(id);
  return STATUS_SUCCESS;
}

void AdapterFeatures::QueryAll() {
  for (std::size_t index = 0; index < registry_.size(); ++index) {
    if (registry_.at(index).driver) static_cast<void>(Query(registry_.at(index).id));
  }
}

DXGK_ISFEATUREENABLED_RESULT AdapterFeatures::QuerySlowly(std::size_t index) {
  if (registry_.at(index).global) return kernel_.QueryGlobal(index);
  const Turn turn(*this);
  const FeatureWord word = slots_[index].answer.load(std::memory_order_relaxed);
  return (word & kAnswered) != 0 ? ToResult(word) : Negotiate(index);
}

DXGK_ISFEATUREENABLED_RESULT AdapterFeatures::Negotiate(std::size_t index) {
  const Feature& feature = registry_.at(index);
  const KernelSupport& support = support_[index];
  Slot& slot = slots_[index];
  DXGK_ISFEATUREENABLED_RESULT result{};
  result.KnownFeature = 1;
  if (slot.asking) {
    driver_.ReportViolation(rules::kFeatureSupportReentered,
                            fmt::format("While it was asked for {} the driver asked for it.", feature.name));
    return result;
  }
  slot.asking = true;
  const Offer offer = AskDriver(index);
  VersionRange common = feature.driver ? Common(support.versions, offer.versions) : support.versions;
  if (!support.supported || !offer.on_config || !DependenciesEnabled(feature)) common = {};
  if (host_ != nullptr) common = WithHost(feature, common, support.supported ? support.versions : VersionRange{});
  result.SupportedByDriver = feature.driver && offer.supported ? 1 : 0;
  result.SupportedOnCurrentConfig = (feature.driver ? offer.on_config : support.supported) ? 1 : 0;
  result.Enabled = common.empty() ? 0 : 1;
  result.Version = common.max;
  slot.common = common;
  slot.answer.store(ToWord(result), std::memory_order_release);
  slot.asking = false;
  return result;
}

// For a feature that no driver is asked for: nothing stands against it.
AdapterFeatures::Offer AdapterFeatures::AskDriver(std::size_t index) {
  const Feature& feature = registry_.at(index);
  if (!feature.driver) return {false, true, {}};
  if (driver_.has_interface()) return AskInterface(feature, support_[index].allow_experimental);
  Slot& slot = slots_[index];
  slot.provisional = !slot.declared;
  const UINT state = slot.declared.value_or(DXGK_FEATURE_SUPPORT_ALWAYS_OFF);
  const bool supported = state == DXGK_FEATURE_SUPPORT_STABLE || state == DXGK_FEATURE_SUPPORT_ALWAYS_ON ||
                         (state == DXGK_FEATURE_SUPPORT_EXPERIMENTAL && support_[index].allow_experimental);
  return {supported, supported, supported ? VersionRange{1, 1} : VersionRange{}};
}

AdapterFeatures::Offer AdapterFeatures::AskInterface(const Feature& feature, bool allow_experimental) {
  DXGKARG_QUERYFEATURESUPPORT args{};
  args.FeatureId = feature.id;
  args.AllowExperimental = allow_experimental ? TRUE : FALSE;
  if (!NT_SUCCESS(driver_.QueryFeatureSupport(args))) return {};  // a feature that the driver does not know
  if (args.FeatureId != feature.id || (args.AllowExperimental != FALSE) != allow_experimental) {
    driver_.ReportViolation(rules::kFeatureSupportInput,
                            fmt::format("Asked for {}, the driver changed FeatureId to {:#x} or AllowExperimental to {}.",
                                        feature.name, static_cast<UINT>(args.FeatureId), args.AllowExperimental));
    return {};
  }
  if (args.SupportedByDriver == FALSE) return {};
  const VersionRange versions{args.MinSupportedVersion, args.MaxSupportedVersion};
  if (versions.empty()) {
    driver_.ReportViolation(
        rules::kFeatureSupportVersions,
        fmt::format("{} is supported in versions {} to {}; they start at 1 and rise.", feature.name, versions.min, versions.max));
    return {};
  }
  return {true, args.SupportedOnCurrentConfig != FALSE, versions};
}

// `own` is what this side agreed on, `kernel` what this kernel could do whatever its driver says.
VersionRange AdapterFeatures::WithHost(const Feature& feature, VersionRange own, VersionRange kernel) {
  switch (feature.virtualization) {
    case FeatureVirtualization::kNone: return own;
    case FeatureVirtualization::kHostOnly: return {};
    case FeatureVirtualization::kNegotiate: return own.empty() ? own : Common(own, host_->Ask(feature.id, own));
    case FeatureVirtualization::kDeferToHost:
      return kernel.empty() || !DependenciesEnabled(feature) ? VersionRange{} : Common(kernel, host_->Ask(feature.id, kernel));
  }
  return {};
}

bool AdapterFeatures::DependenciesEnabled(const Feature& feature) {
  return std::ranges::all_of(feature.depends_on, [&](DXGK_FEATURE_ID id) { return Query(id).Enabled != 0; });
}

bool AdapterFeatures::Declare(DXGK_FEATURE_ID id, UINT state) {
  const std::size_t index = registry_.IndexOf(id);
  if (index == FeatureRegistry::kUnknown) return false;
  if (!registry_.at(index).driver) return Query(id).Enabled != 0;
  const Turn turn(*this);
  Slot& slot = slots_[index];
  if (driver_.has_interface()) {
    const DXGK_ISFEATUREENABLED_RESULT result = Query(id);
    const bool stable = state == DXGK_FEATURE_SUPPORT_STABLE || state == DXGK_FEATURE_SUPPORT_ALWAYS_ON;
    const bool off = state == DXGK_FEATURE_SUPPORT_ALWAYS_OFF;
    if ((stable && result.SupportedByDriver == 0) || (off && result.SupportedByDriver != 0)) {
      driver_.ReportViolation(rules::kFeatureSupportChanged,
                              fmt::format("{} has DriverSupportState {} where QueryFeatureSupport said that it is {}supported.",
                                          registry_.at(index).name, state, result.SupportedByDriver != 0 ? "" : "not "));
    }
    return result.Enabled != 0;
  }
  if (slot.declared && *slot.declared != state) {
    driver_.ReportViolation(rules::kFeatureSupportChanged, fmt::format("{} had DriverSupportState {} and now has {}.",
                                                                       registry_.at(index).name, *slot.declared, state));
    return false;
  }
  slot.declared = state;
  if (std::exchange(slot.provisional, false)) slot.answer.store(0, std::memory_order_relaxed);
  return Query(id).Enabled != 0;
}

VersionRange AdapterFeatures::AnswerGuest(DXGK_FEATURE_ID id, VersionRange versions) {
  const std::size_t index = registry_.IndexOf(id);
  if (index == FeatureRegistry::kUnknown || registry_.at(index).global) return {};
  const FeatureVirtualization mode = registry_.at(index).virtualization;
  if (mode == FeatureVirtualization::kHostOnly || mode == FeatureVirtualization::kNone) return {};
  return Query(id).Enabled != 0 ? Common(slots_[index].common, versions) : VersionRange{};
}

std::vector<FeatureState> AdapterFeatures::States() const {
  std::vector<FeatureState> states;
  for (std::size_t index = 0; index < registry_.size(); ++index) {
    if (registry_.at(index).global) {
      states.push_back(kernel_.GlobalState(index));
      continue;
    }
    const FeatureWord word = slots_[index].answer.load(std::memory_order_acquire);
    states.push_back({registry_.at(index).id, (word & kAnswered) != 0, ToResult(word)});
  }
  return states;
}

}  // namespace tandem::kernel
