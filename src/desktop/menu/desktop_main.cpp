// tandem-desktop: what `tandem launch` and `tandem menu` need of GLib. The command checks the words and starts this program.
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "config/policy/policy_edit.h"
#include "desktop/entries/entry_launch.h"
#include "desktop/menu/menu.h"

namespace {

using namespace tandem;
using namespace tandem::desktop;

constexpr int kExitFailure = 125;
constexpr int kExitNotExecutable = 126;
constexpr int kExitNotFound = 127;

int Complain(const char* command, const Error& error) {
  std::fprintf(stderr, "tandem %s: %s\n", command, error.message.c_str());
  if (error.kind == ErrorKind::kNotFound) return kExitNotFound;
  return error.kind == ErrorKind::kUnsupported ? kExitNotExecutable : kExitFailure;
}

// The user's own policy serves the program from now on, on the adapter that is set.
Result<void> Remember(const EntryCommand& command) {
  std::optional<std::string> render;
  for (const auto& [name, value] : command.environment) {
    if (name == "TANDEM_RENDER") render = value;
  }
  const auto file = config::AllowProgram(command.program, render);
  if (!file.ok()) return file.error();
  std::printf("%s now has a table for %s.\n", Escaped(*file).c_str(), Escaped(command.program).c_str());
  std::fflush(stdout);
  return {};
}

// launch [--dry-run] [--remember] [--action=NAME] [--set=NAME=VALUE]... -- ENTRY [FILE...]
int Launch(const std::vector<std::string_view>& words) {
  EntryLaunch launch;
  bool dry_run = false;
  bool remember = false;
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "--"; ++at) {
    const std::string_view word = words[at];
    if (word == "--dry-run") dry_run = true;
    if (word == "--remember") remember = true;
    if (word.starts_with("--action=")) launch.action = word.substr(word.find('=') + 1);
    if (!word.starts_with("--set=")) continue;
    const std::string_view pair = word.substr(word.find('=') + 1);
    launch.environment.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
  }
  if (at + 1 >= words.size()) return kExitFailure;
  launch.entry = words[at + 1];
  launch.files.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 2, words.end());
  const auto found = FindEntry(launch);
  if (!found.ok()) return Complain("launch", found.error());
  if (!dry_run) {
    if (remember) {
      const auto kept = Remember(*found);
      if (!kept.ok()) return Complain("launch", kept.error());
    }
    const auto launched = LaunchEntry(launch);
    return launched.ok() ? 0 : Complain("launch", launched.error());
  }
  std::printf("program  %s\n", Escaped(found->program).c_str());
  std::printf("entry    %s\nname     %s\ncommand  %s\n", Escaped(found->file).c_str(), Escaped(found->name).c_str(),
              Escaped(found->command).c_str());
  for (const auto& [name, value] : found->environment) std::printf("set      %s=%s\n", name.c_str(), Escaped(value).c_str());
  return 0;
}

void Print(const MenuReport& report, bool json) {
  if (!json) {
    for (const MenuLine& line : report.lines) {
      std::printf("%-9s %-13s %s\n", line.menu.c_str(), line.state.c_str(), Escaped(line.path).c_str());
    }
    return;
  }
  auto list = nlohmann::ordered_json::array();
  for (const MenuLine& line : report.lines) list.push_back({{"menu", line.menu}, {"state", line.state}, {"path", line.path}});
  std::puts(
      nlohmann::ordered_json{{"menus", list}}.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

// menu install|remove|list [--json] [--tandem=PATH] -- [ENTRY...]
int Menu(const std::vector<std::string_view>& words) {
  std::string action;
  std::string tandem = "tandem";
  bool json = false;
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "--"; ++at) {
    if (words[at] == "--json") {
      json = true;
    } else if (words[at].starts_with("--tandem=")) {
      tandem = words[at].substr(words[at].find('=') + 1);
    } else {
      action = words[at];
    }
  }
  MenuReport report;
  if (action == "install") {
    const std::vector<MenuChoice> choices = ChoicesOf(ListGpus());
    if (choices.size() < 2) {
      std::fprintf(stderr, "tandem menu: %zu GPU is here, so a menu has nothing to choose from.\n", choices.size());
      return kExitFailure;
    }
    std::vector<std::string> entries;
    for (++at; at < words.size(); ++at) entries.emplace_back(words[at]);
    report = InstallMenus(tandem, choices, entries);
    if (report.lines.empty()) {
      std::fputs("tandem menu: Neither Dolphin, Konqueror, Nautilus nor Thunar is here, and no entry is named.\n", stderr);
      return kExitFailure;
    }
  } else {
    report = action == "remove" ? RemoveMenus() : ListMenus();
  }
  Print(report, json);
  return report.failed ? kExitFailure : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "launch") return Launch({words.begin() + 1, words.end()});
  if (!words.empty() && words[0] == "menu") return Menu({words.begin() + 1, words.end()});
  std::fputs("This program is a part of tandem(1), which starts it.\n", stderr);
  return kExitFailure;
}
