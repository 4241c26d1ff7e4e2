// Changing one entry of the feature file, line by line, so that everything else stays as its owner wrote it.
#include <string>
#include <utility>

#include "config/feature_file.h"
#include "config/toml_edit.h"

namespace tandem::config {
namespace {

std::optional<std::string> FlagToml(std::optional<bool> value) {
  return value ? std::optional<std::string>(*value ? "true" : "false") : std::nullopt;
}

std::optional<std::string> NumberToml(std::optional<std::uint16_t> value) {
  return value ? std::optional<std::string>(std::to_string(*value)) : std::nullopt;
}

TableEdit EditOf(const FeatureEntry& entry) {
  TableEdit edit;
  if (entry.adapter.empty()) {
    edit.path = {"all", entry.feature};
    edit.header = "[all." + entry.feature + "]";
  } else {
    edit.path = {"adapter", entry.adapter, entry.feature};
    edit.header = "[adapter." + QuotedToml(entry.adapter) + "." + entry.feature + "]";
  }
  const FeatureValues& values = entry.values;
  edit.values = {{"enabled", FlagToml(values.enabled)},
                 {"min_version", NumberToml(values.min_version)},
                 {"max_version", NumberToml(values.max_version)},
                 {"allow_experimental", FlagToml(values.allow_experimental)}};
  return edit;
}

}  // namespace

Result<std::string> WithFeatureEntry(std::string_view text, std::string_view file_name, const FeatureEntry& entry) {
  if (const auto before = ParseFeatureText(text, file_name); !before.ok()) return before.error();
  auto changed = WithTableValues(text, file_name, EditOf(entry));
  if (!changed.ok()) return changed;
  if (const auto after = ParseFeatureText(*changed, file_name); !after.ok()) return after.error();
  return changed;
}

}  // namespace tandem::config
