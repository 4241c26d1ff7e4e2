#include "kernel/feature/feature_override.h"

#include <utility>

namespace tandem::kernel {
namespace {

Result<VersionRange> Narrowed(const Feature& feature, const FeatureOverride& change) {
  if (!change.min_version && !change.max_version) return feature.versions;
  if (!change.min_version || !change.max_version) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {}: {} is set without {}; the two come together.", feature.name,
                change.min_version ? "MinVersion" : "MaxVersion", change.min_version ? "MaxVersion" : "MinVersion");
  }
  const VersionRange wanted{*change.min_version, *change.max_version};
  if (wanted.empty()) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {}: MinVersion {} and MaxVersion {} are no range from 1 on.", feature.name,
                wanted.min, wanted.max);
  }
  if (!feature.versions.Has(wanted.min) || !feature.versions.Has(wanted.max)) {
    return Fail(ErrorKind::kInvalidArgument,
                "Feature {}: MinVersion {} and MaxVersion {} go beyond {} to {}; an override only narrows.", feature.name,
                wanted.min, wanted.max, feature.versions.min, feature.versions.max);
  }
  return wanted;
}

}  // namespace

Result<KernelSupport> ApplyOverride(const Feature& feature, const FeatureOverride& change) {
  if (!change.enabled && !change.min_version && !change.max_version && !change.allow_experimental) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {}: The override sets nothing.", feature.name);
  }
  if (change.enabled.value_or(false) && feature.versions.empty()) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {}: Enabled cannot be set; this kernel has no version of the feature.",
                feature.name);
  }
  if (change.allow_experimental && !feature.driver) {
    return Fail(ErrorKind::kInvalidArgument, "Feature {}: AllowExperimental has no effect; no driver is asked for it.",
                feature.name);
  }
  auto versions = Narrowed(feature, change);
  if (!versions.ok()) return std::move(versions).error();
  return KernelSupport{change.enabled.value_or(feature.supported), *versions,
                       change.allow_experimental.value_or(feature.allow_experimental)};
}

Result<std::vector<KernelSupport>> ApplyOverrides(const FeatureRegistry& registry, const std::vector<FeatureOverride>& changes) {
  std::vector<KernelSupport> support(registry.size());
  for (std::size_t index = 0; index < support.size(); ++index) {
    const Feature& feature = registry.at(index);
    support[index] = {feature.supported, feature.versions, feature.allow_experimental};
  }
  std::vector<bool> changed(support.size());
  for (const FeatureOverride& change : changes) {
    const std::size_t index = registry.IndexOf(change.id);
    if (index == FeatureRegistry::kUnknown) {
      return Fail(ErrorKind::kInvalidArgument, "There is no feature {:#x} to override.", static_cast<UINT>(change.id));
    }
    if (changed[index]) {
      return Fail(ErrorKind::kInvalidArgument, "Feature {} is overridden twice.", registry.at(index).name);
    }
    auto applied = ApplyOverride(registry.at(index), change);
    if (!applied.ok()) return std::move(applied).error();
    support[index] = *applied;
    changed[index] = true;
  }
  return support;
}

}  // namespace tandem::kernel
