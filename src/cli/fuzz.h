// `tandem fuzz`: random sequences of calls on a driver, with a report of what broke it.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// Exit code: 0 when nothing was found, kExitRuleBroken when something was, kExitFailure when nothing could be tried.
[[nodiscard]] int Fuzz(const FuzzCommand& command);

}  // namespace tandem::cli
