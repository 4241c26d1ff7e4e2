// tandem doctor
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

inline constexpr int kExitDoctorBroken = 1;  // a line is broken

// Prints a line for each check; each probe has a time limit.
int Doctor(const DoctorCommand& command);

}  // namespace tandem::cli
