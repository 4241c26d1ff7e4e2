// The frames of runs as a trace for Perfetto.
#pragma once

#include <string>
#include <vector>

#include "cli/report_run.h"

namespace tandem::cli {

// JSON in the Trace Event Format. Each swap chain is a process with these tracks: program (from acquire to present), present to
// screen, display (while a frame is shown), and counters of the milliseconds that a frame took to encode, to cross the link and
// to decode. Times are the log's, so logs of one machine lie side by side.
[[nodiscard]] std::string TraceOf(const std::vector<ReportRun>& runs);

}  // namespace tandem::cli
