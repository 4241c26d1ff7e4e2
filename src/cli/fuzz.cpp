#include "cli/fuzz.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "cli/conform.h"
#include "cli/conform_candidates.h"
#include "cli/conform_report.h"
#include "cli/exit_codes.h"
#include "cli/fuzz_report.h"
#include "cli/fuzz_runs.h"
#include "cli/fuzz_trial.h"
#include "conform/fuzz/script_maker.h"
#include "conform/fuzz/shrink.h"
#include "conform/printed.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFindings = 32;
// For the shortening of one finding.
constexpr int kMostShrinkRuns = 300;
constexpr std::int64_t kMostShrinkNs = 30'000'000'000;
// Least limit of a run that shortens a hang; ten times the longest run without a finding where that is more.
constexpr std::int64_t kLeastPatienceMs = 1000;

int Fails(const std::string& message) {
  std::fprintf(stderr, "tandem fuzz: %s\n", message.c_str());
  return kExitFailure;
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

bool Shows(const FuzzRun& run, const std::string& identity) {
  return std::ranges::any_of(run.findings, [&](const conform::Finding& found) { return found.identity == identity; });
}

// One line of a terminal, which the next replaces.
class ProgressLine {
 public:
  ~ProgressLine() { Clear(); }
  void Show(const FuzzTotals& totals, std::size_t findings) {
    if (!shown_) return;
    const std::int64_t now_ns = MonotonicClock().NowNs();
    if (now_ns - last_ns_ < 250'000'000) return;
    last_ns_ = now_ns;
    std::fprintf(stderr, "\r\033[K%s",
                 fmt::format("{:.0f} s, {} runs, {} calls, {} reached the driver, {} findings", totals.seconds, totals.runs,
                             totals.calls, totals.reached, findings)
                     .c_str());
  }
  void Clear() const {
    if (shown_) std::fputs("\r\033[K", stderr);
  }

 private:
  const bool shown_ = isatty(STDERR_FILENO) != 0;
  std::int64_t last_ns_ = 0;
};

class Session {
 public:
  Session(const FuzzCommand& command, FuzzRunner& runner)
      : command_(command), runner_(runner), maker_(runner.device(), command.seed), style_(StyleOfStandardOutput()) {
    totals_.driver = command.driver;
    totals_.seed = command.seed;
  }

  // Scripts of the corpus, in the order of their names.
  Result<void> ReadCorpus() {
    if (command_.corpus.empty()) return {};
    std::error_code error;
    fs::create_directories(command_.corpus, error);
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(command_.corpus, error)) {
      if (entry.path().extension() == ".txt") files.insert(entry.path());
    }
    if (error) return Fail(ErrorKind::kIo, "{} cannot be read: {}.", command_.corpus, error.message());
    for (const fs::path& file : files) {
      auto script = ReadScript(file.string());
      if (!script.ok()) return std::move(script).error();
      if (script->device == runner_.device()) first_.push_back(*std::move(script));
    }
    return {};
  }

  int Run() {
    const std::int64_t start_ns = MonotonicClock().NowNs();
    // A fault without any call is no fault of a sequence.
    first_.insert(first_.begin(), conform::CallScript{runner_.device(), {}});
    for (std::uint64_t number = 0;; ++number) {
      totals_.seconds = static_cast<double>(MonotonicClock().NowNs() - start_ns) / 1e9;
      const bool left = command_.runs != 0 ? totals_.runs < command_.runs : totals_.seconds < command_.seconds;
      if ((!left && number >= 1) || results_.size() >= kMostFindings) break;
      Try(number < first_.size() ? first_[number] : maker_.Next());
      progress_.Show(totals_, results_.size());
    }
    progress_.Clear();
    Print(command_.format == ListFormat::kJson ? ToJson(results_, totals_) : ReportOfAll() + Summary(results_, totals_, style_));
    if (!failed_.empty()) return Fails(failed_);
    return results_.empty() ? kExitOk : kExitRuleBroken;
  }

 private:
  // The text of all kinds of findings, in the order in which they were found.
  std::string ReportOfAll() const {
    std::string text;
    for (const FuzzResult& result : results_) text += ToText(result, totals_, style_);
    return text;
  }

  FuzzRun RunOnce(const conform::CallScript& script) {
    FuzzRun run = runner_.Run(script, std::int64_t{command_.limit_s} * 1000);
    ++totals_.runs;
    totals_.calls += run.calls;
    totals_.reached += run.reached;
    if (run.findings.empty()) longest_ns_ = std::max(longest_ns_, run.duration_ns);
    return run;
  }

  void Try(const conform::CallScript& script) {
    const FuzzRun run = RunOnce(script);
    if (run.saw_new) Keep(script, run.steps);
    for (const conform::Finding& finding : run.findings) {
      const auto known =
          std::ranges::find_if(results_, [&](const FuzzResult& result) { return result.finding.identity == finding.identity; });
      if (known != results_.end()) {
        ++known->runs;
      } else {
        Add(finding, script, run);
      }
    }
  }

  void Keep(conform::CallScript script, std::uint32_t steps) {
    script.steps.resize(std::min<std::size_t>(script.steps.size(), steps));
    ++totals_.kept;
    if (!command_.corpus.empty()) {
      const std::string text = conform::ToText(script, {});
      std::ofstream(fs::path(command_.corpus) / fmt::format("{:016x}.txt", std::hash<std::string>{}(text))) << text;
    }
    maker_.Keep(std::move(script));
  }

  void Add(const conform::Finding& finding, conform::CallScript script, const FuzzRun& run) {
    FuzzResult result;
    result.finding = finding;
    result.first_steps = script.steps.size();
    result.runs = 1;
    result.printed = conform::Excerpt(run.printed, kExcerptLines);
    script.steps.resize(std::min<std::size_t>(script.steps.size(), run.steps));
    result.script = Shorten(std::move(script), finding.identity, finding.name == "Hang");
    for (std::uint32_t i = 0; i < kReplays; ++i) {
      const FuzzRun again = RunOnce(result.script);
      if (!Shows(again, finding.identity)) continue;
      ++result.replays;
      for (const conform::Finding& shown : again.findings) {
        if (shown.identity == finding.identity) result.finding = shown;
      }
    }
    result.stack = runner_.Named(result.finding.stack);
    Write(result);
    results_.push_back(std::move(result));
  }

  conform::CallScript Shorten(conform::CallScript script, const std::string& identity, bool hang) {
    const std::int64_t patience_ms =
        hang ? std::min(std::int64_t{command_.limit_s} * 1000, std::max(kLeastPatienceMs, longest_ns_ / 100'000))
             : std::int64_t{command_.limit_s} * 1000;
    int left = kMostShrinkRuns;
    const std::int64_t end_ns = MonotonicClock().NowNs() + kMostShrinkNs;
    const auto shows = [&](const conform::CallScript& smaller) { return Shows(runner_.Run(smaller, patience_ms), identity); };
    // A fault that does not happen each time is not shortened.
    if (!shows(script) || !shows(script)) return script;
    return conform::Shrink(std::move(script), shows, [&] { return left-- > 0 && MonotonicClock().NowNs() < end_ns; });
  }

  void Write(FuzzResult& result) {
    std::error_code error;
    fs::create_directories(command_.folder, error);
    std::string name = fs::path(command_.driver).stem().string();
    const fs::path file = fs::path(command_.folder) / fmt::format("{}-{}.txt", name, results_.size() + 1);
    std::ofstream stream(file);
    stream << conform::ToText(result.script, RemarksOf(result, totals_));
    if (!stream.flush()) failed_ = fmt::format("{} cannot be written.", file.string());
    result.file = file.string();
  }

  const FuzzCommand& command_;
  FuzzRunner& runner_;
  conform::ScriptMaker maker_;
  const TextStyle style_;
  ProgressLine progress_;
  std::vector<conform::CallScript> first_;
  FuzzTotals totals_;
  std::int64_t longest_ns_ = 0;  // of a run without a finding
  std::vector<FuzzResult> results_;
  std::string failed_;
};

int Replay(const FuzzCommand& command, FuzzRunner& runner) {
  const auto script = ReadScript(command.replay);
  if (!script.ok()) return Fails(script.error().message);
  const FuzzRun run = runner.Run(*script, std::int64_t{command.limit_s} * 1000);
  FuzzTotals totals;
  totals.driver = command.driver;
  totals.runs = 1;
  totals.calls = run.calls;
  totals.reached = run.reached;
  totals.seconds = static_cast<double>(run.duration_ns) / 1e9;
  std::vector<FuzzResult> results;
  for (const conform::Finding& finding : run.findings) {
    FuzzResult& result = results.emplace_back();
    result.finding = finding;
    result.stack = runner.Named(finding.stack);
    result.script = *script;
    result.first_steps = script->steps.size();
    result.runs = result.replays = 1;
    result.file = command.replay;
    result.printed = conform::Excerpt(run.printed, kExcerptLines);
  }
  const TextStyle style = StyleOfStandardOutput();
  if (command.format == ListFormat::kJson) {
    Print(ToJson(results, totals));
  } else {
    for (const FuzzResult& result : results) Print(ToText(result, totals, style));
    Print(Summary(results, totals, style));
  }
  return results.empty() ? kExitOk : kExitRuleBroken;
}

}  // namespace

int Fuzz(const FuzzCommand& command) {
  if (auto set = SetForDrivers(command.registry, command.guard_pages); !set.ok()) return Fails(set.error().message);
  if (!command.trial.empty()) return PlayForParent(command);
  if (command.debug) return PlayHere(command);
  auto runner = FuzzRunner::Create(command);
  if (!runner.ok()) return Fails(runner.error().message);
  if (!command.replay.empty()) return Replay(command, *runner);
  Session session(command, *runner);
  if (auto read = session.ReadCorpus(); !read.ok()) return Fails(read.error().message);
  return session.Run();
}

}  // namespace tandem::cli
