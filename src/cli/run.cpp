#include "cli/run.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/replacement_file.h"
#include "cli/child_process.h"
#include "cli/exit_codes.h"
#include "cli/last_figures.h"
#include "cli/layer_location.h"
#include "compose/system.h"
#include "coproc/live_folder.h"

namespace tandem::cli {
namespace {

int Complain(const Error& error, int code) {
  std::fprintf(stderr, "tandem run: %s\n", error.message.c_str());
  return code;
}

// The program may change its folder before the figures are written.
std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

coproc::Settings WithAbsolutePaths(coproc::Settings settings) {
  if (!settings.stats_json.empty()) settings.stats_json = Absolute(settings.stats_json);
  if (!settings.frame_log.empty()) settings.frame_log = Absolute(settings.frame_log);
  if (!settings.output.path.empty()) settings.output.path = Absolute(settings.output.path);
  return settings;
}

int ExitCodeFor(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound: return kExitNotFound;
    case ErrorKind::kUnsupported: return kExitNotExecutable;
    default: return kExitFailure;
  }
}

// Where the program tells about itself while it runs, so that its figures survive it. Nothing where nobody wants them.
class Telling {
 public:
  Telling(const coproc::Settings& settings, std::vector<std::string>& environment)
      : settings_(settings), run_(coproc::OwnProcess()), folder_(coproc::LiveFolder()) {
    if (!wanted()) return;
    environment.push_back(fmt::format("{}={}", coproc::kRunVariable, coproc::RunName(run_)));
    if (!folder_.empty()) return;
    std::error_code error;
    std::string own = (std::filesystem::temp_directory_path(error) / "tandem-run-XXXXXX").string();
    if (error || mkdtemp(own.data()) == nullptr) return;
    own_folder_ = folder_ = own;
    environment.push_back(fmt::format("{}={}", coproc::kRunFolderVariable, folder_));
  }
  ~Telling() {
    std::error_code ignored;
    if (!own_folder_.empty()) std::filesystem::remove_all(own_folder_, ignored);
  }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

  // What is left of the programs that could not write their own figures, in the order in which they told last.
  [[nodiscard]] std::vector<LastFigures> Left(const ProgramEnd& end) const {
    std::vector<LastFigures> left;
    if (!wanted() || folder_.empty()) return left;
    const std::int64_t ended_ns = MonotonicClock().NowNs();
    for (coproc::LiveProgram& program : coproc::TakeEndedPrograms(folder_, run_)) {
      const bool started = program.process.pid == static_cast<std::uint32_t>(end.pid);
      left.push_back({std::move(program), started ? end.signal : 0, ended_ns});
    }
    std::ranges::sort(left, {}, [](const LastFigures& last) { return LastTold(last.program); });
    return left;
  }

 private:
  [[nodiscard]] bool wanted() const { return settings_.stats || !settings_.stats_json.empty(); }

  const coproc::Settings& settings_;
  const coproc::LiveProcess run_;
  std::string folder_;
  std::string own_folder_;
};

Result<void> WriteFile(const std::string& path, const std::string& text) {
  auto file = ReplacementFile::Create(path);
  if (!file.ok()) return std::move(file).error();
  if (auto written = file->Write(text); !written.ok()) return written;
  return file->Publish();
}

// In place of the figures that the program could not write.
void TellWhatIsLeft(const std::vector<LastFigures>& left, const coproc::Settings& settings, const std::string& program,
                    const ProgramEnd& end) {
  for (const LastFigures& last : left) {
    if (settings.stats) std::fputs(SummaryOf(last).c_str(), stderr);
  }
  std::error_code ignored;
  if (!settings.stats_json.empty() && std::filesystem::exists(settings.stats_json, ignored)) return;
  const std::string not_written = settings.stats_json.empty() ? "." : ": " + settings.stats_json + " was not written.";
  if (!left.empty() && !settings.stats_json.empty()) {
    const auto written = WriteFile(settings.stats_json, JsonOf(left.back()));
    if (!written.ok()) return static_cast<void>(Complain(written.error(), 0));
    std::fprintf(stderr, "tandem run: '%s' %s: %s has what it told before, not all figures.\n", program.c_str(),
                 HowEnded(left.back().signal).c_str(), settings.stats_json.c_str());
  } else if (left.empty() && end.signal != 0) {
    if (!settings.stats && settings.stats_json.empty()) return;
    std::fprintf(stderr, "tandem run: '%s' %s before it told of any frames%s\n", program.c_str(), HowEnded(end.signal).c_str(),
                 not_written.c_str());
  } else if (!settings.stats_json.empty()) {
    std::fprintf(stderr, "tandem run: '%s' ended without a Vulkan instance that Tandem could serve%s\n", program.c_str(),
                 not_written.c_str());
  }
}

}  // namespace

int Run(const RunCommand& command) {
  const coproc::Settings settings = WithAbsolutePaths(command.settings);
  // A wrong adapter is said here, in words; inside the program the layer could only step aside.
  auto system = compose::System::Create(settings);
  if (!system.ok()) return Complain(system.error(), kExitFailure);
  system->reset();

  auto data_directory = FindLayerDataDirectory();
  if (!data_directory.ok()) return Complain(data_directory.error(), kExitFailure);

  std::error_code ignored;
  for (const std::string& file : {settings.stats_json, settings.frame_log}) {
    if (!file.empty()) std::filesystem::remove(file, ignored);
  }
  std::vector<std::string> environment = coproc::ToEnvironment(settings);
  environment.push_back("XDG_DATA_DIRS=" + DataDirsWith(*data_directory));
  // Whoever uses the command wants to be told why there is no picture; the layer alone stays silent.
  if (!EnvString("TANDEM_LOG")) environment.push_back("TANDEM_LOG=error");
  const Telling telling(settings, environment);
  const auto end = RunProgram(command.program, environment);
  if (!end.ok()) return Complain(end.error(), ExitCodeFor(end.error().kind));
  TellWhatIsLeft(telling.Left(*end), settings, command.program[0], *end);
  return end->code;
}

}  // namespace tandem::cli
