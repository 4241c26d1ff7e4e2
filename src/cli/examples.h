// Examples at the end of each command's help.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string_view>

namespace tandem::cli {

struct Example {
  std::string_view command;  // "driver build"; empty: tandem without a command
  std::string_view line;     // what a user types
};

[[nodiscard]] std::span<const Example> Examples();

// Ends the help of `app` and of all its commands with their examples and the manual's name. All commands were added.
void AddExamples(CLI::App& app);

}  // namespace tandem::cli
