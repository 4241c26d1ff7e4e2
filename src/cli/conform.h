// `tandem conform`: the rules of the driver contract on a driver, with a report.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

inline constexpr int kExitRuleBroken = 1;

// Exit code: 0 when no rule is broken, kExitRuleBroken when one is, kExitFailure when nothing could be tried.
[[nodiscard]] int Conform(const ConformCommand& command);

}  // namespace tandem::cli
