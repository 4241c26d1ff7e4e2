#include "cli/run_figures.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/printable.h"
#include "base/replacement_file.h"
#include "config/file_pattern.h"
#include "status/live_folder.h"
#include "status/trace_events.h"

namespace tandem::cli {
namespace {

void Say(const std::string& sentence) { std::fprintf(stderr, "tandem run: %s\n", Escaped(sentence).c_str()); }

}  // namespace

RunFigures::RunFigures(const config::Settings& settings, FigureFile json, FigureFile log, FigureFile trace)
    : settings_(settings),
      json_(std::move(json)),
      log_(std::move(log)),
      trace_(std::move(trace)),
      run_(status::OwnProcess()),
      folder_(status::LiveFolder()) {}

Result<std::unique_ptr<RunFigures>> RunFigures::Create(const config::Settings& settings) {
  auto json = FigureFile::Find(settings.stats_json);
  if (!json.ok()) return std::move(json).error().Context("--stats-json");
  auto log = FigureFile::Find(settings.frame_log);
  if (!log.ok()) return std::move(log).error().Context("--frame-log");
  auto trace = FigureFile::Find(settings.trace);
  if (!trace.ok()) return std::move(trace).error().Context("--trace");
  return std::unique_ptr<RunFigures>(new RunFigures(settings, *std::move(json), *std::move(log), *std::move(trace)));
}

void RunFigures::AddTo(std::vector<std::string>& environment) {
  if (!wanted()) return;
  environment.push_back(fmt::format("{}={}", status::kRunVariable, status::NameOf(run_)));
  if (!folder_.empty()) return;
  std::error_code error;
  std::string own = (std::filesystem::temp_directory_path(error) / "tandem-run-XXXXXX").string();
  if (error || mkdtemp(own.data()) == nullptr) return;
  own_folder_ = folder_ = own;
  environment.push_back(fmt::format("{}={}", status::kRunFolderVariable, folder_));
}

void RunFigures::Started() {
  json_.RemoveOld();
  log_.RemoveOld();
  trace_.RemoveOld();
}

RunFigures::~RunFigures() {
  std::error_code ignored;
  if (!own_folder_.empty()) std::filesystem::remove_all(own_folder_, ignored);
}

std::vector<LastFigures> RunFigures::Left(const ProgramEnd& end) const {
  std::vector<LastFigures> left;
  if (!wanted() || folder_.empty()) return left;
  const std::int64_t ended_ns = MonotonicClock().NowNs();
  for (status::LiveProgram& program : status::TakeEndedPrograms(folder_, run_)) {
    const bool started = program.process.pid == static_cast<std::uint32_t>(end.pid);
    left.push_back({std::move(program), started ? end.signal : 0, ended_ns});
  }
  std::ranges::sort(left, {}, [](const LastFigures& last) { return LastReported(last.program); });
  return left;
}

void RunFigures::CompleteJson(const std::vector<LastFigures>& left, const ProgramEnd& end, const std::string& name) const {
  // A stream shows no sign of what a program wrote that ended by itself.
  if (json_.is_stream() && left.empty()) return;
  std::map<std::string, const LastFigures*> files;  // the latest report of each
  for (const LastFigures& last : left) {
    const status::LiveProgram& program = last.program;
    files[config::FileOfProgram(json_.pattern(), static_cast<pid_t>(program.process.pid), program.program)] = &last;
  }
  for (const auto& [file, last] : files) {
    if (json_.written(file)) continue;
    if (const auto written = ReplaceFile(file, JsonOf(*last)); !written.ok()) {
      Say(written.error().message);
      continue;
    }
    Say(fmt::format("'{}' {}: {} has what it reported before, not all figures.", name, HowEnded(last->signal), file));
  }
  if (!files.empty() || json_.written()) return;
  if (end.signal != 0) {
    Say(fmt::format("'{}' {} before it reported any frames: {} was not written.", name, HowEnded(end.signal), json_.pattern()));
  } else {
    Say(fmt::format("{} was not written: '{}' left no figures.", json_.pattern(), name));
  }
}

void RunFigures::CompleteLog(const FigureFile& log, std::string_view tail, const std::vector<LastFigures>& left,
                             const ProgramEnd& end) const {
  std::vector<pid_t> ended{end.pid};
  for (const LastFigures& last : left) ended.push_back(static_cast<pid_t>(last.program.process.pid));
  std::vector<std::pair<std::string, pid_t>> files;
  for (const pid_t pid : ended) {
    for (std::string& file : log.LeftBy(pid)) {
      if (!log.written(file)) files.emplace_back(std::move(file), pid);
    }
  }
  for (const auto& [file, pid] : files) {
    const auto published = ReplacementFile::PublishLeft(file, pid, tail);
    if (!published.ok()) Say(published.error().message);
  }
}

void RunFigures::CompleteAfter(const ProgramEnd& end, const std::string& name) const {
  const std::vector<LastFigures> left = Left(end);
  if (log_.wanted()) CompleteLog(log_, {}, left, end);
  if (trace_.wanted()) CompleteLog(trace_, status::kTraceEnd, left, end);
  for (const LastFigures& last : left) {
    if (settings_.stats) std::fputs(SummaryOf(last).c_str(), stderr);
  }
  if (json_.wanted()) return CompleteJson(left, end, name);
  if (settings_.stats && left.empty() && end.signal != 0) {
    Say(fmt::format("'{}' {} before it reported any frames.", name, HowEnded(end.signal)));
  }
}

}  // namespace tandem::cli
