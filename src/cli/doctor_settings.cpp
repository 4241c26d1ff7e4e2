// Checks of settings: files, and variables of the environment.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/doctor_checks.h"
#include "cli/words.h"
#include "config/feature_file.h"
#include "config/policy/policy_folders.h"
#include "config/setting_table.h"
#include "config/settings.h"

namespace tandem::cli {
namespace {

constexpr std::string_view kPrefix = "TANDEM_";
// For the tests of this tree alone.
constexpr std::string_view kTestPrefix = "TANDEM_TEST_";
constexpr std::array kFurther{"TANDEM_ENABLE", "TANDEM_DISABLE",      "TANDEM_SESSION",      "TANDEM_POLICY_ROOT",
                              "TANDEM_LOG",    "TANDEM_DRIVER_FILES", "TANDEM_DRIVER_DEBUG", "TANDEM_SHOW_ASLEEP",
                              "TANDEM_RUN",    "TANDEM_RUN_FOLDER",   "TANDEM_RUN_NOTE"};

std::vector<std::string> KnownVariables() {
  std::vector<std::string> known(kFurther.begin(), kFurther.end());
  for (const config::Setting& setting : config::SettingTable()) known.emplace_back(setting.variable);
  return known;
}

}  // namespace

Findings CheckSettings() {
  Findings findings;
  const auto files = config::ReadPolicyFiles(config::PolicyFoldersHere());
  for (const config::PolicyFile& file : files) {
    for (const config::PolicyFault& fault : file.faults) {
      findings.push_back({fmt::format("settings.{}:{}", Printable(fault.file), fault.line), FindingState::kBroken,
                          Printable(fault.Text()), "Correct the line: the table around it does not count, or the whole file."});
    }
  }
  if (findings.empty()) {
    findings.push_back({"settings", FindingState::kOk,
                        files.empty()
                            ? "There are no files of settings."
                            : fmt::format("{} of settings can be read.",
                                          files.size() == 1 ? std::string("1 file") : fmt::format("{} files", files.size()))});
  }
  if (const auto path = config::FeatureFilePath()) {
    const auto features = config::ReadFeatureFile(*path);
    if (!features.ok()) {
      findings.push_back({"settings.features", FindingState::kBroken, Printable(features.error().message),
                          "Correct or remove the file; 'tandem features set' writes it."});
    } else if (!features->empty()) {
      findings.push_back({"settings.features", FindingState::kWarning,
                          fmt::format("{} overrides features of the driver contract.", Printable(*path)),
                          "Overrides are for tests; 'tandem features unset' takes them back."});
    }
  }
  return findings;
}

Findings CheckEnvironment() {
  Findings findings;
  const std::vector<std::string> known = KnownVariables();
  for (char** pair = environ; pair != nullptr && *pair != nullptr; ++pair) {
    const std::string_view text = *pair;
    const std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with(kPrefix) || name.starts_with(kTestPrefix)) continue;
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string nearest = Nearest(name, known);
    findings.push_back({"variable." + Printable(name), FindingState::kWarning,
                        fmt::format("Tandem knows no variable {}.", Printable(name)),
                        nearest.empty() ? "Unset it; 'man tandem' lists the variables." : fmt::format("Is {} meant?", nearest)});
  }
  std::ranges::sort(findings, {}, &Finding::id);
  if (const auto settings = config::ReadSettingsFor(""); !settings.ok()) {
    findings.push_back(
        {"variables", FindingState::kBroken, Printable(settings.error().message), "Correct or unset the variable."});
  }
  if (findings.empty()) findings.push_back({"variables", FindingState::kOk, "Tandem knows all TANDEM_ variables that are set."});
  return findings;
}

}  // namespace tandem::cli
