// tandem launch: a desktop entry, rendered on one adapter and seen on another.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace tandem::cli {

// Replaces this process by tandem-desktop with `words`; returns an exit code after a sentence when that is not possible. `who` is
// the command for that sentence.
[[nodiscard]] int StartDesktopProgram(const char* who, std::vector<std::string> words);

// Checks the choice of adapters and starts the entry's program without waiting for its end.
[[nodiscard]] int Launch(const LaunchCommand& command);

}  // namespace tandem::cli
