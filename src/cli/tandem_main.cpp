#include <cerrno>
#include <cstdio>
#include <cstring>
#include <variant>

#include "cli/adapters.h"
#include "cli/bench_link.h"
#include "cli/command_line.h"
#include "cli/config_show.h"
#include "cli/conform.h"
#include "cli/doctor.h"
#include "cli/driver_build.h"
#include "cli/encodings.h"
#include "cli/exit_codes.h"
#include "cli/explain.h"
#include "cli/features.h"
#include "cli/fuzz.h"
#include "cli/gpu_report.h"
#include "cli/launch.h"
#include "cli/policy.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/session.h"
#include "cli/status.h"
#include "config/settings.h"

namespace {

using namespace tandem::cli;

int Execute(const RunCommand& command) { return Run(command); }
int Execute(const LaunchCommand& command) { return Launch(command); }
int Execute(const MenuCommand& command) { return Menu(command); }
int Execute(const AdaptersCommand& command) { return ListAdapters(command); }
int Execute(const EncodingsCommand& command) { return ReportEncodings(command); }
int Execute(const BenchLinkCommand& command) { return BenchLink(command); }
int Execute(const GpuReportCommand& command) { return GpuReport(command); }
int Execute(const ConformCommand& command) { return Conform(command); }
int Execute(const FuzzCommand& command) { return Fuzz(command); }
int Execute(const FeaturesCommand& command) { return Features(command); }
int Execute(const PolicyCommand& command) { return Policy(command); }
int Execute(const ConfigShowCommand& command) { return ShowConfig(command); }
int Execute(const StatusCommand& command) { return Status(command); }
int Execute(const SessionCommand& command) { return Session(command); }
int Execute(const DoctorCommand& command) { return Doctor(command); }
int Execute(const DriverBuildCommand& command) { return DriverBuild(command); }
int Execute(const ExplainCommand& command) { return ExplainRun(command); }
int Execute(const ReportCommand& command) { return MakeReport(command); }
int Execute(const PrintCommand& command) {
  std::fputs(command.text.c_str(), command.exit_code == kExitOk ? stdout : stderr);
  return command.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  const Command command = ParseCommandLine(argc, argv, tandem::config::ReadSettingsFor);
  const int code = std::visit([](const auto& chosen) { return Execute(chosen); }, command);
  // Output that did not arrive is no success.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "tandem: Standard output cannot be written: %s.\n", std::strerror(errno));
  return kExitFailure;
}
