#include "cli/report.h"

#include <cstdio>
#include <string>

#include "base/printable.h"
#include "base/replacement_file.h"
#include "cli/exit_codes.h"
#include "cli/report_page.h"
#include "cli/report_run.h"
#include "cli/report_summary.h"
#include "cli/report_trace.h"

namespace tandem::cli {
namespace {

int Complain(const Error& error) {
  std::fprintf(stderr, "tandem report: %s\n", Escaped(error.message).c_str());
  return kExitFailure;
}

}  // namespace

int MakeReport(const ReportCommand& command) {
  const auto runs = ReadRuns(command.files);
  if (!runs.ok()) return Complain(runs.error());
  if (!command.trace.empty()) {
    if (const auto written = ReplaceFile(command.trace, TraceOf(*runs)); !written.ok()) return Complain(written.error());
    if (command.output.empty()) return kExitOk;
  }
  const std::string page = command.output.empty() ? "report.html" : command.output;
  const auto written = ReplaceFile(page, ReportPage(ColumnsOf(*runs)));
  return written.ok() ? kExitOk : Complain(written.error());
}

}  // namespace tandem::cli
