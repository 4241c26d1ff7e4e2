#include "cli/features.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"
#include "kernel/kernel.h"
#include "system/feature_settings.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

int Complain(const Error& error) {
  std::fprintf(stderr, "tandem features: %s\n", error.message.c_str());
  return kExitFailure;
}

std::string Dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json ListJson() {
  auto list = Json::array();
  for (const kernel::Feature& feature : kernel::Kernel::Features()) {
    auto needs = Json::array();
    for (const DXGK_FEATURE_ID id : feature.depends_on) needs.push_back(static_cast<UINT>(id));
    list.push_back({{"id", static_cast<UINT>(feature.id)},
                    {"name", feature.name},
                    {"supported", feature.supported},
                    {"min_version", feature.versions.min},
                    {"max_version", feature.versions.max},
                    {"virtualization", VirtualizationName(feature.virtualization)},
                    {"global", feature.global},
                    {"driver", feature.driver},
                    {"depends_on", needs}});
  }
  return {{"features", list}};
}

Json ConfigJson(const system::FeatureReport& report) {
  auto list = Json::array();
  for (const kernel::Feature& feature : kernel::Kernel::Features()) {
    const auto change = std::ranges::find(report.overrides, feature.id, &kernel::FeatureOverride::id);
    const kernel::FeatureOverride set = change == report.overrides.end() ? kernel::FeatureOverride{} : *change;
    list.push_back({{"id", static_cast<UINT>(feature.id)},
                    {"name", feature.name},
                    {"enabled", OrNull(set.enabled)},
                    {"min_version", OrNull(set.min_version)},
                    {"max_version", OrNull(set.max_version)},
                    {"allow_experimental", OrNull(set.allow_experimental)}});
  }
  return list;
}

Json StateJson(const system::FeatureReport& report) {
  auto list = Json::array();
  for (std::size_t i = 0; i < report.states.size(); ++i) {
    const kernel::FeatureState& state = report.states[i];
    Json row{{"id", static_cast<UINT>(state.id)}, {"name", kernel::Kernel::Features()[i].name}, {"queried", state.queried}};
    if (state.queried) {
      row["enabled"] = state.result.Enabled != 0;
      row["version"] = state.result.Version + 0;
      row["supported_by_driver"] = state.result.SupportedByDriver != 0;
      row["supported_on_current_config"] = state.result.SupportedOnCurrentConfig != 0;
    }
    list.push_back(std::move(row));
  }
  return list;
}

int Report(const FeaturesCommand& command) {
  const bool state = command.action != FeatureAction::kConfig;
  const auto depth = state ? system::FeatureDepth::kStates : system::FeatureDepth::kOverrides;
  const auto reports =
      command.action == FeatureAction::kGuest ? GuestReports(command) : system::ReportFeatures(command.adapter, depth);
  if (!reports.ok()) return Complain(reports.error());
  std::string text;
  auto adapters = Json::array();
  for (const system::FeatureReport& report : *reports) {
    adapters.push_back({{"index", report.adapter.index},
                        {"name", report.adapter.name},
                        {"features", state ? StateJson(report) : ConfigJson(report)}});
    if (reports->size() > 1)
      text += fmt::format("{}Adapter {}  {}\n", text.empty() ? "" : "\n", report.adapter.index, report.adapter.name);
    text +=
        state ? FeatureStateTable(kernel::Kernel::Features(), report) : FeatureConfigTable(kernel::Kernel::Features(), report);
  }
  std::fputs((command.format == ListFormat::kJson ? Dumped({{"adapters", adapters}}) : text).c_str(), stdout);
  return kExitOk;
}

int Change(const FeaturesCommand& command) {
  const auto feature = system::FindFeature(command.feature);
  if (!feature.ok()) return Complain(feature.error());
  Result<std::string> path = std::string();
  if (command.action == FeatureAction::kSet) {
    std::vector<std::pair<std::string, std::string>> values;
    for (const std::string& text : command.values) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) {
        return Complain(Fail(ErrorKind::kInvalidArgument, "'{}' is not KEY=VALUE, such as enabled=1.", text));
      }
      values.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    path = system::ChangeFeature(command.adapter, **feature, values);
  } else {
    path = system::ResetFeature(command.adapter, **feature, command.values);
  }
  if (!path.ok()) return Complain(path.error());
  const char* const where = command.adapter.empty() ? "every adapter" : command.adapter.c_str();
  const char* const what = command.action == FeatureAction::kSet ? "set" : "unset";
  const std::string text =
      command.format == ListFormat::kJson
          ? Dumped({{"file", *path}, {"feature", (*feature)->name}, {"adapter", command.adapter}, {"action", what}})
          : fmt::format("{} is {} for {} in {}; it counts for adapters that start from now on.\n", (*feature)->name, what, where,
                        *path);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace

int Features(const FeaturesCommand& command) {
  switch (command.action) {
    case FeatureAction::kList: {
      const std::string text =
          command.format == ListFormat::kJson ? Dumped(ListJson()) : FeatureListTable(kernel::Kernel::Features());
      std::fputs(text.c_str(), stdout);
      return kExitOk;
    }
    case FeatureAction::kConfig:
    case FeatureAction::kGuest:
    case FeatureAction::kState: return Report(command);
    case FeatureAction::kServe: return ServeFeatures(command);
    case FeatureAction::kSet:
    case FeatureAction::kUnset: break;
  }
  return Change(command);
}

}  // namespace tandem::cli
