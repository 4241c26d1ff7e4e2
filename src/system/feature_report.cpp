#include "system/feature_report.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "config/feature_file.h"
#include "config/selector.h"
#include "drivers/vulkan/icd/enumeration.h"
#include "system/adapter_list.h"
#include "system/feature_settings.h"
#include "system/graphics.h"
#include "system/started_adapter.h"

namespace tandem::system {
namespace {

AdapterList ThisMachine() {
  const vulkan::Enumeration enumeration = vulkan::EnumerateDevices();
  for (const std::string& problem : enumeration.problems) Log(LogLevel::kInfo, "{}", problem);
  return ListAdapters(enumeration);
}

Result<std::vector<kernel::FeatureState>> StartAndAsk(Graphics& graphics, const AdapterList& list, std::size_t index) {
  const StartedAdapter adapter(graphics, list.adapters[index], 0);
  if (!adapter.luid().ok()) return adapter.luid().error();
  return graphics.kernel().FeatureStates(*adapter.luid());
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

// This machine's adapters, and the kernel for them.
struct Machine {
  AdapterList list;
  std::vector<config::FeatureEntry> entries;
  std::unique_ptr<Graphics> graphics;

  [[nodiscard]] static Result<Machine> Create() {
    Machine machine{ThisMachine(), {}, {}};
    auto entries = ReadEntries();
    if (!entries.ok()) return std::move(entries).error();
    machine.entries = *std::move(entries);
    auto graphics = Graphics::Create(MonotonicClock(), machine.list.adapters, machine.entries);
    if (!graphics.ok()) return std::move(graphics).error();
    machine.graphics = *std::move(graphics);
    return machine;
  }

  [[nodiscard]] Result<FeatureReport> Report(std::size_t index, FeatureDepth depth) const {
    FeatureReport report{list.adapters[index], {}, {}};
    auto overrides = OverridesFor(report.adapter, list.adapters, entries);
    if (!overrides.ok()) return std::move(overrides).error();
    report.overrides = *std::move(overrides);
    if (depth == FeatureDepth::kOverrides) return report;
    auto states = StartAndAsk(*graphics, list, index);
    if (!states.ok()) return std::move(states).error();
    report.states = *std::move(states);
    return report;
  }
};

class AdapterService final : public FeatureService {
 public:
  AdapterService(Machine machine, std::size_t index)
      : machine_(std::move(machine)), index_(index), started_(*machine_.graphics, machine_.list.adapters[index], 0) {}

  [[nodiscard]] const Result<LUID>& luid() const { return started_.luid(); }
  [[nodiscard]] const config::AdapterInfo& adapter() const override { return machine_.list.adapters[index_]; }
  [[nodiscard]] Result<void> Serve(UniqueFd guest) override {
    return machine_.graphics->kernel().ServeGuest(*luid(), std::move(guest));
  }

 private:
  const Machine machine_;
  const std::size_t index_;
  const StartedAdapter started_;
};

}  // namespace

Result<std::vector<FeatureReport>> ReportFeatures(std::string_view selector, FeatureDepth depth) {
  const auto machine = Machine::Create();
  if (!machine.ok()) return machine.error();
  std::vector<std::size_t> chosen;
  if (!selector.empty()) {
    const auto found = config::FindAdapter(selector, machine->list.adapters);
    if (!found.ok()) return found.error();
    chosen = {*found};
  } else {
    for (std::size_t i = 0; i < machine->list.adapters.size(); ++i) chosen.push_back(i);
  }
  std::vector<FeatureReport> reports;
  for (const std::size_t index : chosen) {
    auto report = machine->Report(index, depth);
    if (!report.ok()) return std::move(report).error();
    reports.push_back(*std::move(report));
  }
  return reports;
}

Result<FeatureReport> ReportGuestFeatures(std::string_view selector, UniqueFd host) {
  const auto machine = Machine::Create();
  if (!machine.ok()) return machine.error();
  const auto index = config::FindAdapter(selector, machine->list.adapters);
  if (!index.ok()) return index.error();
  if (auto joined = machine->graphics->kernel().JoinHost(std::move(host)); !joined.ok()) return std::move(joined).error();
  return machine->Report(*index, FeatureDepth::kStates);
}

Result<std::unique_ptr<FeatureService>> FeatureService::Create(std::string_view selector) {
  auto machine = Machine::Create();
  if (!machine.ok()) return std::move(machine).error();
  const auto index = config::FindAdapter(selector, machine->list.adapters);
  if (!index.ok()) return index.error();
  auto service = std::make_unique<AdapterService>(*std::move(machine), *index);
  if (!service->luid().ok()) return service->luid().error();
  return std::unique_ptr<FeatureService>(std::move(service));
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
