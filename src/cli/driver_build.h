// tandem driver build: a Windows display miniport's sources become a shared object that the kernel loads.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// kExitFailure when a file does not compile or a name is missing; the report lists them.
[[nodiscard]] int DriverBuild(const DriverBuildCommand& command);

}  // namespace tandem::cli
