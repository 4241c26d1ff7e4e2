// The options of the commands that put Tandem into a desktop and its sessions: menu, enable, disable.
#pragma once

#include "cli/command_line.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tandem::cli {

// Each adds a command, which fills `command` and `json`, and returns it; both outlive the parse.
CLI::App* AddMenu(CLI::App& app, MenuCommand& command, bool& json);
CLI::App* AddEnable(CLI::App& app, SessionCommand& session, bool& json);
CLI::App* AddDisable(CLI::App& app, SessionCommand& session);

}  // namespace tandem::cli
