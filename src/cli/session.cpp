#include "cli/session.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/env.h"
#include "cli/exit_codes.h"
#include "config/layer_location.h"
#include "config/selector.h"
#include "config/session_file.h"
#include "system/system.h"

namespace tandem::cli {
namespace {

using config::SessionScope;

// The manifest of the adapter's driver. A driver's list is all that a loader lets us choose from, so an adapter that shares its
// driver with another cannot be left alone.
Result<std::string> ManifestOf(const std::string& selector) {
  const std::vector<config::AdapterInfo> adapters = system::System::List();
  const auto position = config::FindAdapter(selector, adapters);
  if (!position.ok()) return position.error();
  const config::AdapterInfo& chosen = adapters[*position];
  if (chosen.icd_manifest.empty()) {
    return Fail(ErrorKind::kUnsupported, "{} has no Vulkan driver that programs open.", chosen.name);
  }
  for (const config::AdapterInfo& other : adapters) {
    if (other.index == chosen.index || other.icd_library != chosen.icd_library) continue;
    return Fail(ErrorKind::kUnsupported, "{} and {} share one Vulkan driver ({}), so both would be missing in other programs.",
                chosen.name, other.name, chosen.icd_library);
  }
  return chosen.icd_manifest;
}

Result<std::string> TextFor(const SessionCommand& command) {
  auto data_directory = config::FindLayerDataDirectory();
  if (!data_directory.ok()) return std::move(data_directory).error();
  config::SessionChoice choice{.data_directory = *std::move(data_directory), .sleeping = {}, .shown = ""};
  if (command.show_asleep && command.keep_asleep.size() != 1) {
    return Fail(ErrorKind::kInvalidArgument, "--show-asleep shows one adapter; --keep-asleep names {}.",
                command.keep_asleep.size());
  }
  for (const std::string& selector : command.keep_asleep) {
    auto manifest = ManifestOf(selector);
    if (!manifest.ok()) return std::move(manifest).error().Context("--keep-asleep " + selector);
    if (command.show_asleep) choice.shown = std::filesystem::absolute(*manifest).string();
    choice.sleeping.push_back(std::filesystem::path(*manifest).filename().string());
  }
  return config::SessionFileText(choice);
}

Result<void> Enable(const SessionCommand& command, const std::string& path) {
  auto text = TextFor(command);
  if (!text.ok()) return std::move(text).error();
  if (auto written = config::WriteSessionFile(path, *text); !written.ok()) return written;
  std::printf(
      "%s is written. Tandem is on in sessions that start from now on, for programs whose policy says use = \"always\".\n",
      path.c_str());
  return {};
}

Result<void> Disable(const std::string& path) {
  const auto removed = config::RemoveSessionFile(path);
  if (!removed.ok()) return removed.error();
  if (*removed) {
    std::printf("%s is removed. Sessions that run keep Tandem until they end.\n", path.c_str());
  } else {
    std::printf("There is no %s; nothing is changed.\n", path.c_str());
  }
  return {};
}

struct State {
  std::string path;
  bool enabled = false;
  std::string sleeping;
  std::string problem;
};

State StateOf(SessionScope scope) {
  const auto path = config::SessionFilePath(scope);
  if (!path.ok()) return {.path = "", .enabled = false, .sleeping = "", .problem = path.error().message};
  const auto text = config::ReadSessionFile(*path);
  if (!text.ok()) return {.path = *path, .enabled = false, .sleeping = "", .problem = text.error().message};
  if (!*text) return {.path = *path, .enabled = false, .sleeping = "", .problem = ""};
  return {.path = *path,
          .enabled = true,
          .sleeping = config::SessionValue(**text, "VK_LOADER_DRIVERS_DISABLE").value_or(""),
          .problem = ""};
}

void ShowStatus(ListFormat format) {
  const std::pair<const char*, State> states[] = {{"user", StateOf(SessionScope::kUser)},
                                                  {"system", StateOf(SessionScope::kSystem)}};
  const auto session = EnvFlag("TANDEM_SESSION");
  const bool here = session.ok() && session->value_or(false);
  if (format == ListFormat::kJson) {
    nlohmann::json json{{"session", here}};
    for (const auto& [name, state] : states) {
      json[name] = {{"enabled", state.enabled}, {"file", state.path}, {"asleep", state.sleeping}, {"problem", state.problem}};
    }
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  for (const auto& [name, state] : states) {
    std::string line = fmt::format("{:<8} {:<4} {}", name, state.enabled ? "on" : "off", state.path);
    if (!state.sleeping.empty()) line += fmt::format(", asleep: {}", state.sleeping);
    if (!state.problem.empty()) line += ": " + state.problem;
    std::printf("%s\n", line.c_str());
  }
  std::printf("%-8s %s\n", "session", here ? "on" : "off");
}

}  // namespace

int Session(const SessionCommand& command) {
  if (command.action == SessionAction::kStatus) {
    ShowStatus(command.format);
    return kExitOk;
  }
  const bool enable = command.action == SessionAction::kEnable;
  const auto path = config::SessionFilePath(command.system ? SessionScope::kSystem : SessionScope::kUser);
  const Result<void> done = !path.ok() ? Result<void>(path.error()) : enable ? Enable(command, *path) : Disable(*path);
  if (done.ok()) return kExitOk;
  std::fprintf(stderr, "tandem %s: %s\n", enable ? "enable" : "disable", done.error().message.c_str());
  return kExitFailure;
}

}  // namespace tandem::cli
