// `tandem adapters --driver FILE`: what a driver says of its adapter, in place of the machine's adapters.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "system/driver_report.h"

namespace tandem::cli {

// In the process of the driver: a JSON object.
[[nodiscard]] std::string ToJson(const system::DriverReport& report);

// Starts the driver in a process of its own, prints its report and returns the exit code.
[[nodiscard]] int ListDriver(const AdaptersCommand& command);

}  // namespace tandem::cli
