#include "cli/fuzz_runs.h"

#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "cli/conform.h"
#include "cli/conform_candidates.h"
#include "cli/conform_trial.h"
#include "conform/contained.h"
#include "system/fuzz_player.h"

namespace tandem::cli {

Result<FuzzRunner> FuzzRunner::Create(const FuzzCommand& command) {
  auto folder = TemporaryFolder::Create("fuzz");
  if (!folder.ok()) return std::move(folder).error();
  FuzzRunner runner(command, *std::move(folder));
  for (std::size_t job = 0; job <= command.jobs; ++job) {
    auto notes = conform::NotesFile::Create(runner.FileOf("notes", job));
    if (!notes.ok()) return std::move(notes).error();
    runner.notes_.push_back(*std::move(notes));
  }
  if (auto asked = runner.Ask(); !asked.ok()) return std::move(asked).error();
  return runner;
}

// The report of `tandem adapters --driver` names the device that the driver starts on.
Result<void> FuzzRunner::Ask() {
  ConformCommand conform;
  conform.driver = command_.driver;
  conform.registry = command_.registry;
  conform.guard_pages = command_.guard_pages;
  const auto candidates = FindCandidates(conform);
  if (!candidates.ok()) return candidates.error();
  environment_ = candidates->front().environment;
  const conform::ContainedOutcome ended = RunAlone(conform, candidates->front(), kReportTrial);
  const auto report = nlohmann::json::parse(ended.outcome.seen, nullptr, false);
  if (ended.outcome.verdict == conform::Verdict::kFail || !report.is_object()) {
    return Fail(ErrorKind::kUnsupported, "{}", ended.outcome.seen);
  }
  if (report["class"] == "display-only") side_ = conform::CallSide::kDisplayOnly;
  device_ = system::ScriptDeviceNamed(report["device"].get<std::string>());
  return {};
}

std::string FuzzRunner::FileOf(std::string_view name, std::size_t job) const {
  return (folder_.path() / fmt::format("{}-{}", name, job)).string();
}

FuzzRun FuzzRunner::Run(const conform::CallScript& script, std::int64_t limit_ms, const conform::SeenByRuns& seen,
                        std::size_t job) {
  const std::int64_t start_ns = MonotonicClock().NowNs();
  const std::string file = FileOf("script", job);
  std::ofstream(file) << conform::ToText(script, {});
  notes_[job].Begin(seen);
  conform::ContainedTrial trial;
  trial.argv = {"/proc/self/exe", "fuzz", "--driver", command_.driver, "--trial", file, "--notes", FileOf("notes", job)};
  if (command_.guard_pages) trial.argv.emplace_back("--guard-pages");
  if (!command_.registry.empty()) trial.argv.insert(trial.argv.end(), {"--registry", command_.registry});
  trial.environment = environment_;
  trial.driver = command_.driver;
  trial.limit_ms = limit_ms;
  conform::ContainedOutcome ended = conform::RunContained(trial);
  const conform::RunNotes& notes = notes_[job].notes();
  FuzzRun run;
  run.findings = conform::FindingsOf(ended, notes);
  run.printed = std::move(ended.printed);
  run.steps = notes.steps;
  run.calls = notes.calls;
  run.reached = notes.reached;
  for (std::size_t step = 0; step < script.steps.size(); ++step) {
    if ((notes.news[step / 64] >> step % 64 & 1) != 0) run.news.push_back(step);
  }
  run.edges = notes.edges;
  run.seen = notes.seen;
  run.duration_ns = MonotonicClock().NowNs() - start_ns;
  return run;
}

}  // namespace tandem::cli
