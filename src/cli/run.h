// tandem run: an unmodified program, rendered on one adapter and seen on another.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// Checks the choice of adapters, starts the program with the layer switched on, and returns the exit code. Messages go to
// standard error.
[[nodiscard]] int Run(const RunCommand& command);

}  // namespace tandem::cli
