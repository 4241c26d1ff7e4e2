// The names of a program: those that it cannot change while it runs, and those that its launcher gave it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace tandem::config {

// VkApplicationInfo's texts; empty where the program gave none.
struct ApplicationNames {
  std::string application{};
  std::string engine{};
};

// Empty texts: the program has no such name.
struct ProgramIdentity {
  std::string executable;  // path: the kernel's link, not argv[0] or comm, which a program may change
  std::string windows;     // path of the Windows executable that wine runs, as wine has it: "C:\\games\\game.exe"
  std::string steam;       // application id: "440"
  std::string flatpak;     // application id
  std::string desktop;     // id of the desktop entry: "org.example.Game.desktop"
  ApplicationNames names;
};

// A variable of a process; one that is empty counts as none.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

// All that is known of a process. Any bytes.
struct ProcessFacts {
  std::string executable;    // target of /proc/PID/exe
  std::string command_line;  // /proc/PID/cmdline
  std::string flatpak_info;  // /.flatpak-info as the process sees it
  Environment variable;      // of its environment
  std::function<bool(std::string_view pid)> is_self_or_ancestor = [](std::string_view) { return false; };
  ApplicationNames names;
};

[[nodiscard]] ProgramIdentity Identify(const ProcessFacts& facts);

[[nodiscard]] Environment OwnEnvironment();
// The environment with which another process was started. Empty where it cannot be read.
[[nodiscard]] Environment EnvironmentOf(pid_t pid);

// The process that asks.
[[nodiscard]] ProgramIdentity IdentifyThisProcess(ApplicationNames names);
// Path of the program in the process that asks: of the Windows executable that wine runs, else of the executable.
[[nodiscard]] std::string PathOfThisProgram();
// Another process of this user; its VkApplicationInfo is not known. kNotFound, kIo.
[[nodiscard]] Result<ProgramIdentity> IdentifyProcess(pid_t pid);
// A program that does not run: a path, a name, or a text of a kind as patterns have it ("steam:440").
[[nodiscard]] Result<ProgramIdentity> IdentifyText(std::string_view program);

}  // namespace tandem::config
