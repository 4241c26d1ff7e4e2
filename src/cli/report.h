// tandem report: a page of charts made of frame logs and files of --stats-json.
#pragma once

#include "cli/command_line.h"

namespace tandem::cli {

// Returns the exit code. Writes nothing when a file cannot be read.
[[nodiscard]] int MakeReport(const ReportCommand& command);

}  // namespace tandem::cli
