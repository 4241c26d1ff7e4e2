// tandem enable and tandem disable: Tandem for the programs of a whole session.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// Writes or removes the session's file, or shows it; returns the exit code.
[[nodiscard]] int Session(const SessionCommand& command);

}  // namespace tandem::cli
