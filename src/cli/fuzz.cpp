#include "cli/fuzz.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/conform.h"
#include "cli/conform_candidates.h"
#include "cli/conform_report.h"
#include "cli/driver_frames.h"
#include "cli/exit_codes.h"
#include "cli/fuzz_report.h"
#include "cli/fuzz_runs.h"
#include "cli/fuzz_session.h"
#include "cli/fuzz_trial.h"
#include "conform/printed.h"

namespace tandem::cli {
namespace {

int Fails(const std::string& message) {
  std::fprintf(stderr, "tandem fuzz: %s\n", message.c_str());
  return kExitFailure;
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// The exit code.
int Tell(const std::vector<FuzzResult>& results, const FuzzTotals& totals, ListFormat format) {
  const TextStyle style = StyleOfStandardOutput();
  std::string text;
  for (const FuzzResult& result : results) text += ToText(result, totals, style);
  Print(format == ListFormat::kJson ? ToJson(results, totals) : text + Summary(results, totals, style));
  return results.empty() ? kExitOk : kExitRuleBroken;
}

int Replay(const FuzzCommand& command, FuzzRunner& runner) {
  const auto script = ReadScript(command.replay);
  if (!script.ok()) return Fails(script.error().message);
  const FuzzRun run = runner.Run(*script, std::int64_t{command.limit_s} * 1000, {});
  FuzzTotals totals;
  totals.driver = command.driver;
  totals.runs = 1;
  totals.calls = run.calls;
  totals.reached = run.reached;
  totals.Count(run.edges, run.seen);
  totals.seconds = static_cast<double>(run.duration_ns) / 1e9;
  std::vector<FuzzResult> results;
  for (const conform::Finding& finding : run.findings) {
    FuzzResult& result = results.emplace_back();
    result.finding = finding;
    result.stack = NamedFrames(command.driver, finding.stack);
    result.script = *script;
    result.first_steps = script->steps.size();
    result.runs = result.replays = 1;
    result.file = command.replay;
    result.printed = conform::Excerpt(run.printed, kExcerptLines);
  }
  return Tell(results, totals, command.format);
}

}  // namespace

int Fuzz(const FuzzCommand& command) {
  if (auto set = SetForDrivers(command.registry, command.guard_pages); !set.ok()) return Fails(set.error().message);
  if (!command.trial.empty()) return PlayForParent(command);
  if (command.debug) return PlayHere(command);
  auto runner = FuzzRunner::Create(command);
  if (!runner.ok()) return Fails(runner.error().message);
  if (!command.replay.empty()) return Replay(command, *runner);
  FuzzSession session(command, *runner);
  if (auto read = session.ReadCorpus(); !read.ok()) return Fails(read.error().message);
  const auto written = session.Run();
  const int code = Tell(session.results(), session.totals(), command.format);
  return written.ok() ? code : Fails(written.error().message);
}

}  // namespace tandem::cli
