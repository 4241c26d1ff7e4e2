// Starts a program, passes signals on to it, and waits for its end.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::cli {

// Runs `program` (argv, found by PATH) with `environment` (NAME=value) added to the caller's, and returns its exit code; 128 + n
// when signal n ended it. Signals that are sent to this process go on to the program; those of the terminal reach it anyway. The
// calling thread's signal mask is changed for the time. kNotFound, kUnsupported (not executable), kIo.
[[nodiscard]] Result<int> RunProgram(const std::vector<std::string>& program, const std::vector<std::string>& environment);

}  // namespace tandem::cli
