#include "system/feature_report.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "config/feature_file.h"
#include "config/selector.h"
#include "drivers/soft/soft_device.h"
#include "drivers/vulkan/icd/enumeration.h"
#include "drivers/vulkan/vulkan_device.h"
#include "system/adapter_list.h"
#include "system/feature_settings.h"
#include "system/graphics.h"

namespace tandem::system {
namespace {

AdapterList ThisMachine() {
  const vulkan::Enumeration enumeration = vulkan::EnumerateDevices();
  for (const std::string& problem : enumeration.problems) Log(LogLevel::kInfo, "{}", problem);
  return ListAdapters(enumeration);
}

// Starts the adapter without outputs, reads its feature states, and removes it.
Result<std::vector<kernel::FeatureState>> StartAndAsk(Graphics& graphics, const AdapterList& list, std::size_t index) {
  const config::AdapterInfo& info = list.adapters[index];
  soft::DeviceDescription soft_device;
  vulkan::DeviceDescription vulkan_device;
  vulkan_device.own = vulkan::OwnDevice{info.icd_library, info.device_uuid, info.driver_uuid};
  const auto luid =
      index == list.soft() ? graphics.AddSoftAdapter(&soft_device, info) : graphics.AddVulkanAdapter(vulkan_device, info);
  if (!luid.ok()) return luid.error().Context(info.name);
  auto states = graphics.kernel().FeatureStates(*luid);
  graphics.RemoveAdapter(*luid);
  return states;
}

Result<std::string> Path() {
  auto path = config::FeatureFilePath();
  if (!path) return Fail(ErrorKind::kNotFound, "Neither XDG_CONFIG_HOME nor HOME says where the feature file is.");
  return *std::move(path);
}

Result<std::vector<config::FeatureEntry>> ReadEntries() {
  const auto path = config::FeatureFilePath();
  return path ? config::ReadFeatureFile(*path) : std::vector<config::FeatureEntry>();
}

// Keeps the file's own names of the entry's adapter and feature, if it has the entry.
config::FeatureEntry FindEntry(const std::vector<config::FeatureEntry>& entries, std::string_view selector,
                               const kernel::Feature& feature) {
  for (const config::FeatureEntry& entry : entries) {
    const auto same = FindFeature(entry.feature);
    if (entry.adapter == selector && same.ok() && *same == &feature) return entry;
  }
  return {std::string(selector), feature.name, {}};
}

// Reports an invalid selector before any file is written.
Result<void> CheckSelector(std::string_view selector) {
  if (selector.empty()) return {};
  const auto found = config::FindAdapter(selector, ThisMachine().adapters);
  return found.ok() ? Result<void>() : found.error();
}

}  // namespace

Result<std::vector<FeatureReport>> ReportFeatures(std::string_view selector, FeatureDepth depth) {
  const AdapterList list = ThisMachine();
  const auto entries = ReadEntries();
  if (!entries.ok()) return entries.error();
  auto graphics = Graphics::Create(MonotonicClock(), list.adapters, *entries);
  if (!graphics.ok()) return std::move(graphics).error();
  std::vector<std::size_t> chosen;
  if (!selector.empty()) {
    const auto found = config::FindAdapter(selector, list.adapters);
    if (!found.ok()) return found.error();
    chosen = {*found};
  } else {
    for (std::size_t i = 0; i < list.adapters.size(); ++i) chosen.push_back(i);
  }
  std::vector<FeatureReport> reports;
  for (const std::size_t index : chosen) {
    FeatureReport report{list.adapters[index], {}, {}};
    auto overrides = OverridesFor(report.adapter, list.adapters, *entries);
    if (!overrides.ok()) return std::move(overrides).error();
    report.overrides = *std::move(overrides);
    if (depth == FeatureDepth::kStates) {
      auto states = StartAndAsk(**graphics, list, index);
      if (!states.ok()) return std::move(states).error();
      report.states = *std::move(states);
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

Result<std::string> ChangeFeature(std::string_view selector, const kernel::Feature& feature,
                                  const std::vector<std::pair<std::string, std::string>>& values) {
  if (const auto checked = CheckSelector(selector); !checked.ok()) return checked.error();
  auto path = Path();
  if (!path.ok()) return path;
  const auto entries = config::ReadFeatureFile(*path);
  if (!entries.ok()) return entries.error();
  config::FeatureEntry entry = FindEntry(*entries, selector, feature);
  for (const auto& [key, text] : values) {
    if (auto set = config::SetFeatureValue(entry.values, key, text); !set.ok()) return std::move(set).error();
  }
  if (const auto applies = ToOverride(entry); !applies.ok()) return applies.error();
  if (auto changed = config::ChangeFeatureFile(*path, entry); !changed.ok()) return std::move(changed).error();
  return path;
}

Result<std::string> ResetFeature(std::string_view selector, const kernel::Feature& feature,
                                 const std::vector<std::string>& keys) {
  auto path = Path();
  if (!path.ok()) return path;
  const auto entries = config::ReadFeatureFile(*path);
  if (!entries.ok()) return entries.error();
  config::FeatureEntry entry = FindEntry(*entries, selector, feature);
  if (entry.values.empty()) {
    return Fail(ErrorKind::kNotFound, "{} has no entry of {} for {}.", *path, feature.name,
                selector.empty() ? "every adapter" : std::string(selector));
  }
  if (keys.empty()) entry.values = {};
  for (const std::string& key : keys) {
    if (auto taken = config::ClearFeatureValue(entry.values, key); !taken.ok()) return std::move(taken).error();
  }
  if (!entry.values.empty()) {
    if (const auto applies = ToOverride(entry); !applies.ok()) return applies.error();
  }
  if (auto changed = config::ChangeFeatureFile(*path, entry); !changed.ok()) return std::move(changed).error();
  return path;
}

}  // namespace tandem::system
