// tandem policy: the programs that Tandem serves, the files that say so, and why.
#pragma once

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/policy_text.h"
#include "config/policy/identity.h"

namespace tandem::cli {

// The decision of this machine's policy files on a program with that environment. Errors: config::Decide's.
[[nodiscard]] Result<Explanation> ExplainProgram(const config::ProgramIdentity& program, const config::Environment& environment);

// Does what the command says and returns the exit code: kExitFailure for what could not be done, and for a check that found
// something.
[[nodiscard]] int Policy(const PolicyCommand& command);

}  // namespace tandem::cli
