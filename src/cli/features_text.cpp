// The listings as tables.
#include <algorithm>

#include <fmt/format.h>

#include "cli/features.h"
#include "kernel/kernel.h"
#include "system/feature_settings.h"

namespace tandem::cli {
namespace {

const char* YesNo(bool yes) { return yes ? "Yes" : "No"; }
const char* Mark(bool set) { return set ? "X" : "-"; }

std::string Row(const kernel::Feature& feature, const std::string& columns) {
  return fmt::format("{:>4}  {:<48}  {}\n", system::FeatureIdText(feature), feature.name, columns);
}

std::string Header(const char* columns) { return fmt::format("{:>4}  {:<48}  {}\n", "Id", "FeatureName", columns); }

std::string VersionText(kernel::VersionRange versions) {
  return versions.empty() ? "--" : fmt::format("{}-{}", versions.min, versions.max);
}

template <class Entry>
const Entry* Find(const std::vector<Entry>& entries, DXGK_FEATURE_ID id) {
  const auto found = std::ranges::find(entries, id, &Entry::id);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

const char* VirtualizationName(kernel::FeatureVirtualization mode) {
  switch (mode) {
    case kernel::FeatureVirtualization::kNegotiate: return "Negotiate";
    case kernel::FeatureVirtualization::kHostOnly: return "HostOnly";
    case kernel::FeatureVirtualization::kDeferToHost: return "DeferToHost";
    case kernel::FeatureVirtualization::kNone: break;
  }
  return "None";
}

std::string FeatureListTable(std::span<const kernel::Feature> features) {
  std::string text = Header("Supported  Version  VirtMode     Global  Driver");
  for (const kernel::Feature& feature : features) {
    text += Row(feature, fmt::format("{:<9}  {:<7}  {:<11}  {:<6}  {}", YesNo(feature.supported), VersionText(feature.versions),
                                     VirtualizationName(feature.virtualization), Mark(feature.global), Mark(feature.driver)));
  }
  return text;
}

std::string FeatureConfigTable(std::span<const kernel::Feature> features, const system::FeatureReport& report) {
  std::string text = Header("Enabled  Version  AllowExperimental");
  for (const kernel::Feature& feature : features) {
    const kernel::FeatureOverride* const change = Find(report.overrides, feature.id);
    const bool enabled = change != nullptr && change->enabled;
    const bool versions = change != nullptr && change->min_version && change->max_version;
    const bool experimental = change != nullptr && change->allow_experimental;
    text += Row(feature, fmt::format("{:<7}  {:<7}  {}", enabled ? YesNo(*change->enabled) : "--",
                                     versions ? VersionText({*change->min_version, *change->max_version}) : "--",
                                     experimental ? YesNo(*change->allow_experimental) : "-"));
  }
  return text;
}

std::string FeatureStateTable(std::span<const kernel::Feature> features, const system::FeatureReport& report) {
  std::string text = Header("Enabled  Version  Driver  Config");
  for (const kernel::Feature& feature : features) {
    const kernel::FeatureState* const state = Find(report.states, feature.id);
    if (state == nullptr || !state->queried) {
      text += Row(feature, fmt::format("{:<7}  {:<7}  {:<6}  {}", "Unknown", "--", "--", "--"));
      continue;
    }
    text += Row(feature,
                fmt::format("{:<7}  {:<7}  {:<6}  {}", YesNo(state->result.Enabled != 0), state->result.Version + 0,
                            YesNo(state->result.SupportedByDriver != 0), YesNo(state->result.SupportedOnCurrentConfig != 0)));
  }
  return text;
}

}  // namespace tandem::cli
