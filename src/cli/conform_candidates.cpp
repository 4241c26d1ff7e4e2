#include "cli/conform_candidates.h"

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include "config/feature_file.h"
#include "config/selector.h"
#include "conform/loaded_driver.h"
#include "conform/sanitizer_runtime.h"
#include "conform/through_shim.h"
#include "kernel/driver_settings.h"
#include "kernel/kernel.h"
#include "system/conformance_drivers.h"
#include "system/driver_file.h"
#include "system/feature_settings.h"
#include "system/full_driver.h"
#include "system/system.h"

namespace tandem::cli {
namespace {

Result<std::vector<config::FeatureEntry>> FeatureEntries() {
  const auto path = config::FeatureFilePath();
  return path ? config::ReadFeatureFile(*path) : std::vector<config::FeatureEntry>();
}

// A stranger's driver has the overrides for every adapter, and those whose selector is a part of its file's name.
Result<std::vector<kernel::FeatureOverride>> StrangersOverrides(const std::string& path) {
  auto entries = FeatureEntries();
  if (!entries.ok()) return std::move(entries).error();
  config::AdapterInfo stranger;
  stranger.index = std::numeric_limits<std::uint32_t>::max();
  stranger.name = path.substr(path.rfind('/') + 1);
  std::erase_if(*entries, [&stranger](const config::FeatureEntry& entry) {
    return !entry.adapter.empty() && !config::FindAdapter(entry.adapter, {&stranger, 1}).ok();
  });
  return system::OverridesFor(stranger, {&stranger, 1}, *entries);
}

Result<Candidate> CandidateOf(const std::string& path, conform::DriverUnderTest driver) {
  auto overrides = StrangersOverrides(path);
  if (!overrides.ok()) return std::move(overrides).error();
  driver.overrides = *std::move(overrides);
  if (driver.name == system::SoftUnderTest().name) driver.name = "your_" + driver.name;  // the other side has that name
  return Candidate{std::move(driver), {"--driver", path}, {}};
}

Result<std::vector<std::string>> EnvironmentFor(const std::string& driver) {
  auto runtime = conform::RuntimeToPreload(driver);
  if (!runtime.ok()) return std::move(runtime).error();
  if (runtime->empty()) return std::vector<std::string>();
  const auto with = [](const char* name, const std::string& ours, char between) {
    const char* const theirs = std::getenv(name);
    return std::string(name) + "=" + ours + (theirs == nullptr || *theirs == '\0' ? "" : between + std::string(theirs));
  };
  // The user's own values come later in each list, and so weigh more.
  return std::vector<std::string>{with("LD_PRELOAD", *runtime, ':'), with("ASAN_OPTIONS", "detect_leaks=0", ':'),
                                  with("TSAN_OPTIONS", "exitcode=0", ':'), with("UBSAN_OPTIONS", "print_stacktrace=1", ':')};
}

// Beside the command in a build tree, or in the library's folder when installed.
std::string ShimLibrary() {
  std::error_code error;
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& folder : {command, command / ".." / TANDEM_SHIM_FOLDER}) {
    const std::filesystem::path library = folder / "libtandem_shim.so";
    if (std::filesystem::exists(library, error)) return library.string();
  }
  return {};
}

Result<std::vector<Candidate>> MachinesDrivers(const ConformCommand& command, system::AdapterSource source) {
  auto entries = FeatureEntries();
  if (!entries.ok()) return std::move(entries).error();
  const std::vector<config::AdapterInfo> adapters = system::System::List(source);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (!command.adapter.empty()) {
      const auto found = config::FindAdapter(command.adapter, adapters);
      if (!found.ok()) return found.error();
      if (*found != i) continue;
    }
    auto overrides = system::OverridesFor(adapters[i], adapters, *entries);
    if (!overrides.ok()) return std::move(overrides).error();
    candidates.push_back({system::UnderTest(adapters[i]), {"--adapter", std::to_string(adapters[i].index)}, {}});
    candidates.back().driver.overrides = *std::move(overrides);
  }
  return candidates;
}

}  // namespace

Result<std::vector<Candidate>> FindCandidates(const ConformCommand& command) {
  if (command.driver.empty()) return MachinesDrivers(command, system::AdapterSource::kDrivers);
  auto candidate = CandidateOf(command.driver, conform::UnloadedDriver(command.driver));
  if (!candidate.ok()) return std::move(candidate).error();
  auto environment = EnvironmentFor(command.driver);
  if (!environment.ok()) return std::move(environment).error();
  candidate->environment = *std::move(environment);
  return std::vector<Candidate>{*std::move(candidate)};
}

Result<Candidate> LoadCandidate(const ConformCommand& command) {
  if (command.driver.empty()) {
    // The command that began the trial has kept the list. A trial opens the driver that it judges, and no other.
    auto candidates = MachinesDrivers(command, system::AdapterSource::kKept);
    if (!candidates.ok()) return std::move(candidates).error();
    return std::move(candidates->front());
  }
  auto loaded = conform::LoadDriver(command.driver);
  if (!loaded.ok()) return std::move(loaded).error();
  return CandidateOf(command.driver,
                     loaded->display_only ? system::DisplayOnlyUnderTest(*loaded) : system::FullUnderTest(*std::move(loaded)));
}

Result<void> SetForDrivers(const std::string& registry, bool guard_pages) {
  kernel::DriverSettings settings;
  if (!registry.empty()) {
    auto read = system::ReadDriverFile(registry);
    if (!read.ok()) return std::move(read).error();
    settings = *std::move(read);
  }
  settings.guard_pages = guard_pages;
  kernel::SetDriverSettings(std::move(settings));
  return {};
}

std::vector<conform::Trial> TrialsFor(const ConformCommand& command, const Candidate& candidate) {
  const conform::DriverUnderTest& reference = system::SoftUnderTest();
  return command.through_shim ? conform::PlanThroughShim(candidate.driver, reference, ShimLibrary())
                              : conform::PlanFor(candidate.driver, reference);
}

}  // namespace tandem::cli
