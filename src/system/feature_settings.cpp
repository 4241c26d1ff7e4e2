#include "system/feature_settings.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "config/selector.h"

namespace tandem::system {
namespace {

std::string NameOf(const config::FeatureEntry& entry) {
  return entry.adapter.empty() ? "[all." + entry.feature + "]" : "[adapter.\"" + entry.adapter + "\"." + entry.feature + "]";
}

bool SameLetters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

}  // namespace

std::string FeatureIdText(const kernel::Feature& feature) {
  const UINT sub_id = DXGK_FEATURE_ID_FEATURE(feature.id);
  return DXGK_FEATURE_ID_CATEGORY(feature.id) == DXGK_FEATURE_CATEGORY_OS ? fmt::format("OS:{}", sub_id) : std::to_string(sub_id);
}

Result<const kernel::Feature*> FindFeature(std::string_view text) {
  for (const kernel::Feature& feature : kernel::Kernel::Features()) {
    if (SameLetters(text, feature.name) || SameLetters(text, FeatureIdText(feature))) return &feature;
  }
  return Fail(ErrorKind::kNotFound, "There is no feature '{}'; see 'tandem features list'.", text);
}

Result<kernel::FeatureOverride> ToOverride(const config::FeatureEntry& entry) {
  const auto feature = FindFeature(entry.feature);
  if (!feature.ok()) return feature.error().Context(NameOf(entry));
  const kernel::FeatureOverride change{(*feature)->id, entry.values.enabled, entry.values.min_version, entry.values.max_version,
                                       entry.values.allow_experimental};
  if (const auto checked = kernel::Kernel::CheckFeatureOverride(change); !checked.ok()) {
    return checked.error().Context(NameOf(entry));
  }
  return change;
}

Result<std::vector<kernel::FeatureOverride>> OverridesFor(const config::AdapterInfo& adapter,
                                                          std::span<const config::AdapterInfo> adapters,
                                                          const std::vector<config::FeatureEntry>& entries) {
  struct Chosen {
    kernel::FeatureOverride change;
    const config::FeatureEntry* entry = nullptr;
  };
  std::map<DXGK_FEATURE_ID, Chosen> chosen;
  for (const config::FeatureEntry& entry : entries) {
    const auto change = ToOverride(entry);
    if (!change.ok()) return change.error();
    if (!entry.adapter.empty()) {
      const auto found = config::FindAdapter(entry.adapter, adapters);
      if (!found.ok()) return found.error().Context(NameOf(entry));
      if (adapters[*found].index != adapter.index) continue;
    }
    Chosen& slot = chosen[change->id];
    if (slot.entry != nullptr && slot.entry->adapter.empty() == entry.adapter.empty()) {
      return Fail(ErrorKind::kInvalidArgument, "{} and {} mean the same feature of the same adapter.", NameOf(*slot.entry),
                  NameOf(entry));
    }
    if (slot.entry == nullptr || slot.entry->adapter.empty()) slot = {*change, &entry};
  }
  std::vector<kernel::FeatureOverride> overrides;
  for (const auto& [id, slot] : chosen) overrides.push_back(slot.change);
  return overrides;
}

}  // namespace tandem::system
