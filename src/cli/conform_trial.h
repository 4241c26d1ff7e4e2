// One trial of `tandem conform` in this process.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "conform/plan.h"

namespace tandem::cli {

// The trial that only loads the driver.
inline constexpr char kLoadTrial[] = "load";
// Its outcome's sentence is ToJson() of the driver's report.
inline constexpr char kReportTrial[] = "report";
// conform::FailTrial. While no service fails its outcome has a line of their names, and one of what the driver leaves behind.
inline constexpr char kFailTrial[] = "fail";
// The sentence of kLoadTrial's outcome for a display-only driver.
inline constexpr char kLoadedDisplayOnly[] = "The driver is display-only.";

// The process of a trial (--trial): its outcome goes to whoever started it. Returns the exit code.
[[nodiscard]] int RunTrialForParent(const ConformCommand& command);

// For a person with a debugger (--debug): the driver's output passes through, its crash is its own, and the verdict is printed.
// A driver that needs a sanitizer's runtime makes this process begin again with it. Returns the exit code.
[[nodiscard]] int DebugTrial(const ConformCommand& command);

}  // namespace tandem::cli
