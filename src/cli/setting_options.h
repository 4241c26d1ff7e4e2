// The table of settings as options of a command.
#pragma once

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "config/settings.h"

namespace tandem::cli {

// Adds an option for each setting, in the groups of the table.
void AddSettingOptions(CLI::App& command);

// After `command` was parsed: sets what was typed. The first value that is refused gives a sentence with its option.
[[nodiscard]] Result<void> SetTyped(const CLI::App& command, config::TracedSettings& traced);

}  // namespace tandem::cli
