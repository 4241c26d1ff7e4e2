#include "cli/run_environment.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/env.h"
#include "cli/run_checks.h"
#include "config/file_pattern.h"
#include "config/layer_location.h"
#include "config/setting_table.h"
#include "swapchain/swap_chain.h"
#include "system/system.h"
#include "system/tier_report.h"

namespace tandem::cli {
namespace {

std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

// Keys to export. The program, which may stand behind a wrapper, reads the file under its own name: only what was typed outweighs
// that. Files of the environment are exported again, for the program may run in another folder.
std::vector<std::string_view> Exported(const config::TracedSettings& traced) {
  std::vector<std::string_view> keys;
  for (const auto& [key, origin] : traced.origins) {
    const bool file = key == "output" || key == "stats_json" || key == "frame_log" || key == "trace" || key == "display_driver" ||
                      key == "registry";
    if (origin.source == config::Source::kOption || (file && origin.source == config::Source::kEnvironment)) keys.push_back(key);
  }
  return keys;
}

// The settings choose the pair. A path that was asked for needs the kernel's tiers, for which the adapters start.
Result<system::ChosenAdapters> ChoosePair(const config::Settings& settings) {
  // The kept list opens no driver, which the program will.
  auto chosen = system::System::Check(settings, system::AdapterSource::kKept);
  if (!chosen.ok() || settings.path == swapchain::PathRequest::kAuto) return chosen;
  std::vector<config::AdapterInfo> pair{std::move(chosen->render), std::move(chosen->display)};
  if (auto asked = system::AskTiers(pair, MonotonicClock()); !asked.ok()) return std::move(asked).error();
  return system::ChosenAdapters{std::move(pair[0]), std::move(pair[1])};
}

}  // namespace

config::Settings WithAbsolutePaths(config::Settings settings) {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  for (std::string* const pattern : {&settings.stats_json, &settings.frame_log, &settings.trace}) {
    if (!pattern->empty() && !error) *pattern = config::PatternIn(folder, *pattern);
  }
  if (!settings.display_driver.empty()) settings.display_driver = Absolute(settings.display_driver);
  if (!settings.registry.empty()) settings.registry = Absolute(settings.registry);
  if (!settings.output.path.empty()) settings.output.path = Absolute(settings.output.path);
  return settings;
}

Result<config::AdapterInfo> CheckBeforeStart(const config::Settings& settings) {
  auto pair = ChoosePair(settings);
  if (!pair.ok()) return std::move(pair).error();
  if (auto refused = RefusedBeforeStart(settings, pair->render, pair->display, WindowSystemsHere())) return *std::move(refused);
  return std::move(pair->render);
}

Result<std::vector<std::string>> EnvironmentFor(const config::Settings& settings, const config::TracedSettings& traced,
                                                const config::AdapterInfo& render, const OpenGlChoice& gl) {
  const auto data_directory = config::FindLayerDataDirectory();
  if (!data_directory.ok()) return data_directory.error();
  const bool driver = settings.form == config::ProgramForm::kDriver;
  const auto listed = driver ? std::nullopt : config::ListedLayersWithOurs();
  config::Settings wanted = settings;
  wanted.enabled = wanted.enabled && !driver && !listed;  // in the program once
  std::vector<std::string> environment = config::ToEnvironment(wanted, Exported(traced));
  if (!driver) environment.push_back("XDG_DATA_DIRS=" + config::DataDirsWith(*data_directory));
  if (listed) environment.push_back("VK_INSTANCE_LAYERS=" + *listed);
  if (driver && !config::IsSwitchedOff()) {
    environment.push_back(std::string(config::kFormVariable) + "=" + std::string(ToString(settings.form)));
    for (std::string& pair : config::DriverEnvironment(config::DriverManifestIn(*data_directory))) {
      environment.push_back(std::move(pair));
    }
  }
  if (gl.zink && !config::IsSwitchedOff()) {
    for (std::string& pair : ZinkEnvironment(render.kind == "cpu")) environment.push_back(std::move(pair));
  }
  // Whoever uses the command wants to be told why there is no picture; the layer alone stays silent.
  if (!EnvString("TANDEM_LOG")) environment.push_back("TANDEM_LOG=error");
  return environment;
}

}  // namespace tandem::cli
