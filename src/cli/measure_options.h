// The options of the commands that measure and look: encodings, bench link, gpu-report, report, doctor.
#pragma once

#include "cli/command_line.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tandem::cli {

// Each adds a command, which fills `command` and `json`, and returns it; both outlive the parse.
CLI::App* AddEncodings(CLI::App& app, EncodingsCommand& command, bool& json);
CLI::App* AddBenchLink(CLI::App& app, BenchLinkCommand& command, bool& json);
CLI::App* AddGpuReport(CLI::App& app, GpuReportCommand& command, bool& json);
CLI::App* AddReport(CLI::App& app, ReportCommand& command);
CLI::App* AddDoctor(CLI::App& app, DoctorCommand& command, bool& json);

}  // namespace tandem::cli
