// The frames of runs as a trace for Perfetto.
#pragma once

#include <string>
#include <vector>

#include "cli/report_run.h"

namespace tandem::cli {

// The trace of --trace (status/trace_events.h), made of frame logs. Logs without the times of copies give a trace without their
// tracks. Times are the log's, so logs of one machine lie side by side.
[[nodiscard]] std::string TraceOf(const std::vector<ReportRun>& runs);

}  // namespace tandem::cli
