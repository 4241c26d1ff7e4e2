// tandem explain: what `tandem run` would do with a program, and why. Starts no program.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// Prints the pair of adapters, the memory between them, path and encoding, and what the policy files say of the program. Returns
// kExitFailure when `tandem run` would refuse.
[[nodiscard]] int ExplainRun(const ExplainCommand& command);

}  // namespace tandem::cli
