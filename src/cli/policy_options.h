// The options of the commands that show and change what is agreed: features, policy.
#pragma once

#include "cli/command_line.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tandem::cli {

// Each adds a command's subcommands, which fill `command` and `json`; both outlive the parse.
void AddFeatures(CLI::App& features, FeaturesCommand& command, bool& json);
// Subcommands about one program name it. `explain` takes a process in its place.
void AddPolicy(CLI::App& policy, PolicyCommand& command, bool& json);

}  // namespace tandem::cli
