// tandem policy: the programs that Tandem serves, the files that say so, and why.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// Does what the command says and returns the exit code: kExitFailure for what could not be done, and for a check that found
// something.
[[nodiscard]] int Policy(const PolicyCommand& command);

}  // namespace tandem::cli
