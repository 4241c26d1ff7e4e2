// The options of the commands about somebody's driver: driver build, conform, fuzz.
#pragma once

#include <string>

#include "cli/command_line.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tandem::cli {

// Each adds a command's options, which fill `command` and `json`; both outlive the parse. AddDriverBuild adds its subcommands,
// too, and returns the one that builds.
CLI::App* AddDriverBuild(CLI::App& app, DriverBuildCommand& command, bool& json);
void AddConform(CLI::App& conform, ConformCommand& command, bool& json);
void AddFuzz(CLI::App& fuzz, FuzzCommand& command, bool& json);

// --registry, for a command with an option that names a driver.
void AddDriverFile(CLI::App& command, std::string& registry, CLI::Option* driver);

}  // namespace tandem::cli
