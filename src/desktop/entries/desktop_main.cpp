// tandem-desktop: what `tandem launch` and `tandem menu` need of GLib. The command checks the words and starts this program.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "desktop/entries/entry_launch.h"

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

// launch [--dry-run] [--action=NAME] [--set=NAME=VALUE]... -- ENTRY [FILE...]
int Launch(const std::vector<std::string_view>& words) {
  EntryLaunch launch;
  bool dry_run = false;
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "--"; ++at) {
    const std::string_view word = words[at];
    if (word == "--dry-run") dry_run = true;
    if (word.starts_with("--action=")) launch.action = word.substr(word.find('=') + 1);
    if (!word.starts_with("--set=")) continue;
    const std::string_view pair = word.substr(word.find('=') + 1);
    launch.environment.emplace_back(pair.substr(0, pair.find('=')), pair.substr(pair.find('=') + 1));
  }
  if (at + 1 >= words.size()) return kExitFailure;
  launch.entry = words[at + 1];
  launch.files.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 2, words.end());
  if (!dry_run) {
    const auto launched = LaunchEntry(launch);
    return launched.ok() ? 0 : Complain("launch", launched.error());
  }
  const auto found = FindEntry(launch);
  if (!found.ok()) return Complain("launch", found.error());
  std::printf("entry    %s\nname     %s\ncommand  %s\n", Escaped(found->file).c_str(), Escaped(found->name).c_str(),
              Escaped(found->command).c_str());
  for (const auto& [name, value] : found->environment) std::printf("set      %s=%s\n", name.c_str(), Escaped(value).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "launch") return Launch({words.begin() + 1, words.end()});
  std::fputs("This program is a part of tandem(1), which starts it.\n", stderr);
  return kExitFailure;
}
