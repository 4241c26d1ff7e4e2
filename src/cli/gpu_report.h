// tandem gpu-report: what a machine's Vulkan devices can, measured and compared with the processor, in one report.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

inline constexpr int kExitReportWrong = 1;       // a pixel or a rule is wrong, or a section failed
inline constexpr int kExitReportIncomplete = 2;  // nothing is wrong, and a section did not end in its time

// Writes report.md and report.json into the folder and prints one of them; progress goes to standard error. Returns the exit
// code.
[[nodiscard]] int GpuReport(const GpuReportCommand& command);

}  // namespace tandem::cli
