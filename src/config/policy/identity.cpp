#include "config/policy/identity.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/env.h"
#include "config/config_io.h"
#include "config/policy/pattern.h"

namespace tandem::config {
namespace {

constexpr int kMostAncestors = 32;

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

char AsciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// An executable that was replaced while it runs, as an update does.
std::string_view WithoutDeleted(std::string_view link) {
  constexpr std::string_view kDeleted = " (deleted)";
  return link.ends_with(kDeleted) ? link.substr(0, link.size() - kDeleted.size()) : link;
}

bool EndsInExe(std::string_view argument) {
  constexpr std::string_view kEnd = ".exe";
  return argument.size() > kEnd.size() &&
         std::ranges::equal(argument.substr(argument.size() - kEnd.size()), kEnd, {}, AsciiLower);
}

// The loader of wine is the executable; the Windows program is among its arguments, the first one once wine has named itself.
std::string WindowsExecutable(std::string_view executable, std::string_view command_line) {
  if (!NameOf(executable).starts_with("wine")) return {};
  while (!command_line.empty()) {
    const std::size_t end = std::min(command_line.find('\0'), command_line.size());
    if (const std::string_view argument = command_line.substr(0, end); EndsInExe(argument)) return std::string(argument);
    command_line.remove_prefix(std::min(end + 1, command_line.size()));
  }
  return {};
}

// Steam's own programs and foreign shortcuts have 0.
std::string SteamId(const ProcessFacts& facts) {
  for (const char* const name : {"SteamAppId", "STEAM_COMPAT_APP_ID", "SteamGameId"}) {
    const std::string id = facts.variable(name).value_or("");
    const bool number = !id.empty() && id != "0" && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; });
    if (number) return id;
  }
  return {};
}

// `name` of [Application]: the sandbox wrote the file, the program cannot.
std::string FlatpakId(const ProcessFacts& facts) {
  bool application = false;
  for (std::string_view rest = facts.flatpak_info; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with('[')) application = line == "[Application]";
    if (application && line.starts_with("name=")) return std::string(line.substr(5));
  }
  return facts.variable("FLATPAK_ID").value_or("");
}

// The desktop-entry specification makes an id of a path: the part behind "applications/", with '-' for '/'.
std::string DesktopId(const ProcessFacts& facts) {
  const auto file = facts.variable("GIO_LAUNCHED_DESKTOP_FILE");
  const auto pid = facts.variable("GIO_LAUNCHED_DESKTOP_FILE_PID");
  if (!file || !pid || !facts.is_self_or_ancestor(*pid)) return {};
  constexpr std::string_view kFolder = "/applications/";
  const std::size_t folder = file->rfind(kFolder);
  std::string id = folder == std::string::npos ? std::string(NameOf(*file)) : file->substr(folder + kFolder.size());
  std::ranges::replace(id, '/', '-');
  return id;
}

// std::filesystem costs a program ten times as much at its first use.
std::string LinkTarget(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t bytes = readlink(path.c_str(), target.data(), target.size());
  return bytes < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(bytes));
}

std::string ReadOrNothing(const std::string& path) {
  auto text = ReadConfigFile(path);
  return text.ok() && *text ? **std::move(text) : std::string();
}

// The fourth field of /proc/PID/stat. The second is the program's own choice and may have spaces and brackets in it.
std::string ParentOf(std::string_view pid) {
  const std::string stat = ReadOrNothing("/proc/" + std::string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos || stat.size() < name_end + 5) return {};
  const std::string_view parent = std::string_view(stat).substr(name_end + 4);
  return std::string(parent.substr(0, parent.find(' ')));
}

bool IsSelfOrAncestor(std::string process, std::string_view wanted) {
  for (int i = 0; i < kMostAncestors && !process.empty() && process != "0"; ++i) {
    if (process == wanted) return true;
    process = ParentOf(process);
  }
  return false;
}

// The executable of the calling process, and the command line of wine's loader.
ProcessFacts OwnExecutable() {
  ProcessFacts facts;
  facts.executable = LinkTarget("/proc/self/exe");
  if (NameOf(facts.executable).starts_with("wine")) facts.command_line = ReadOrNothing("/proc/self/cmdline");
  return facts;
}

// A variable of the start of a process: NAME=value, each ended by a null byte.
std::optional<std::string> VariableIn(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::size_t end = std::min(environment.find('\0'), environment.size());
    const std::string_view pair = environment.substr(0, end);
    if (pair.size() > name.size() + 1 && pair.starts_with(name) && pair[name.size()] == '=') {
      return std::string(pair.substr(name.size() + 1));
    }
    environment.remove_prefix(std::min(end + 1, environment.size()));
  }
  return std::nullopt;
}

// The path that the kernel's link would have: a name is looked up as a shell does.
std::string ResolvedExecutable(std::string_view program) {
  std::error_code error;
  const auto canonical = [&](const std::filesystem::path& path) {
    const auto resolved = std::filesystem::weakly_canonical(path, error);
    return error ? path.string() : resolved.string();
  };
  if (program.find('/') != std::string_view::npos) return canonical(program);
  const std::string path = EnvString("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, end)) / program;
    if (std::filesystem::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return canonical(candidate);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::string(program);
}

}  // namespace

ProgramIdentity Identify(const ProcessFacts& facts) {
  ProgramIdentity program;
  program.executable = WithoutDeleted(facts.executable);
  program.windows = WindowsExecutable(program.executable, facts.command_line);
  program.steam = SteamId(facts);
  program.flatpak = FlatpakId(facts);
  program.desktop = DesktopId(facts);
  program.names = facts.names;
  return program;
}

Environment OwnEnvironment() {
  return [](std::string_view name) { return EnvString(std::string(name).c_str()); };
}

Environment EnvironmentOf(pid_t pid) {
  return [text = ReadOrNothing("/proc/" + std::to_string(pid) + "/environ")](std::string_view name) {
    return VariableIn(text, name);
  };
}

ProgramIdentity IdentifyThisProcess(ApplicationNames names) {
  ProcessFacts facts = OwnExecutable();
  facts.flatpak_info = ReadOrNothing("/.flatpak-info");
  facts.variable = OwnEnvironment();
  facts.is_self_or_ancestor = [](std::string_view pid) { return IsSelfOrAncestor(std::to_string(getpid()), pid); };
  facts.names = std::move(names);
  return Identify(facts);
}

std::string PathOfThisProgram() {
  const ProcessFacts facts = OwnExecutable();
  const std::string_view executable = WithoutDeleted(facts.executable);
  const std::string windows = WindowsExecutable(executable, facts.command_line);
  return windows.empty() ? std::string(executable) : windows;
}

Result<ProgramIdentity> IdentifyProcess(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  ProcessFacts facts;
  facts.executable = LinkTarget(folder + "/exe");
  if (facts.executable.empty() && errno == ENOENT) return Fail(ErrorKind::kNotFound, "There is no process {}.", pid);
  if (facts.executable.empty()) return Fail(ErrorKind::kIo, "Process {} cannot be looked at: {}.", pid, std::strerror(errno));
  facts.command_line = ReadOrNothing(folder + "/cmdline");
  facts.flatpak_info = ReadOrNothing(folder + "/root/.flatpak-info");
  facts.variable = EnvironmentOf(pid);
  facts.is_self_or_ancestor = [pid](std::string_view wanted) { return IsSelfOrAncestor(std::to_string(pid), wanted); };
  return Identify(facts);
}

Result<ProgramIdentity> IdentifyText(std::string_view program) {
  ProgramIdentity identity;
  if (program.empty()) return identity;
  auto pattern = ParsePattern(program);
  if (!pattern.ok()) return std::move(pattern).error();
  std::string& text = pattern->text;
  switch (pattern->kind) {
    case PatternKind::kExecutable: identity.executable = ResolvedExecutable(text); break;
    case PatternKind::kWindows: identity.windows = std::move(text); break;
    case PatternKind::kSteam: identity.steam = std::move(text); break;
    case PatternKind::kFlatpak: identity.flatpak = std::move(text); break;
    case PatternKind::kDesktop: identity.desktop = std::move(text); break;
    case PatternKind::kApplication: identity.names.application = std::move(text); break;
    case PatternKind::kEngine: identity.names.engine = std::move(text); break;
  }
  return identity;
}

}  // namespace tandem::config
