// tandem config show: the value of each setting for a program, and its origin.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/terminal.h"

namespace tandem::cli {

// `file` is the configuration file, there or not; nothing where the environment names no folder for it.
[[nodiscard]] std::string ConfigTable(const ConfigShowCommand& command, const std::optional<std::string>& file,
                                      const TextStyle& style);
[[nodiscard]] std::string ConfigJson(const ConfigShowCommand& command, const std::optional<std::string>& file);

// Prints the settings on standard output and returns the exit code.
[[nodiscard]] int ShowConfig(const ConfigShowCommand& command);

}  // namespace tandem::cli
