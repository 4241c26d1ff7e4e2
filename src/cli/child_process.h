// Starts a program, passes signals on to it, and waits for its end.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace tandem::cli {

// The end of a program: exit code or signal.
struct ProgramEnd {
  pid_t pid = -1;
  int code = 0;    // what it left with; 128 + signal where one ended it
  int signal = 0;  // that ended it; 0: it left by itself
};

// Runs `program` (argv, found by PATH) with `environment` (NAME=value) added to the caller's, until it ended. Signals that are
// sent to this process go on to the program; those of the terminal reach it anyway. The calling thread's signal mask is changed
// for the time. `started` is called once the program runs. kNotFound, kUnsupported (not executable), kIo.
[[nodiscard]] Result<ProgramEnd> RunProgram(const std::vector<std::string>& program, const std::vector<std::string>& environment,
                                            const std::function<void()>& started);

}  // namespace tandem::cli
