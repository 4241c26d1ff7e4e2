// Launches desktop entries by GIO, with Tandem's settings in their environment.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "desktop/common/gpu_list.h"

namespace tandem::desktop {

struct EntryLaunch {
  std::string entry;               // path of an entry or of a program, or a desktop id with or without ".desktop"
  std::string action;              // identifier of one of the entry's actions; empty: the entry itself
  std::vector<std::string> files;  // paths or URIs
  EnvironmentPairs environment;
};

struct EntryCommand {
  std::string file;  // the entry's or program's path
  std::string name;
  std::string command;  // Exec, with its field codes
  EnvironmentPairs environment;
  std::string program;  // the name by which policies know it: "vkcube", "steam:440", "org.example.Game.desktop"
};

// Finds the entry and its action, and completes the environment: an entry with PrefersNonDefaultGPU gets the first GPU that is
// not the default, unless a render adapter is set. Errors: kNotFound for an entry, an action or a program that is not there;
// kUnsupported for a file that is no entry of a program, or that nobody has marked as trusted.
[[nodiscard]] Result<EntryCommand> FindEntry(const EntryLaunch& launch);

// Starts the program without waiting for its end. FindEntry()'s errors, and kIo.
Result<void> LaunchEntry(const EntryLaunch& launch);

}  // namespace tandem::desktop
