// One sequence of calls of `tandem fuzz` in this process.
#pragma once

#include "cli/command_line.h"
#include "conform/fuzz/call_script.h"

namespace tandem::cli {

// kIo; ParseScript's errors with the file's name.
[[nodiscard]] Result<conform::CallScript> ReadScript(const std::string& file);

// The process of one run (--trial): its outcome goes to whoever started it. Returns the exit code.
[[nodiscard]] int PlayForParent(const FuzzCommand& command);

// For a person with a debugger (--replay FILE --debug). Returns the exit code.
[[nodiscard]] int PlayHere(const FuzzCommand& command);

}  // namespace tandem::cli
