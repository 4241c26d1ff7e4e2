#include "cli/fuzz_session.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "cli/conform_report.h"
#include "cli/fuzz_trial.h"
#include "conform/fuzz/shrink.h"
#include "conform/printed.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFindings = 32;
// For the shortening of one finding.
constexpr int kMostShrinkRuns = 300;
constexpr std::int64_t kMostShrinkNs = 30'000'000'000;
// Least limit of a run that shortens a hang.
constexpr std::int64_t kLeastPatienceMs = 1000;
// Batches are as long as their steps take about this time.
constexpr std::int64_t kLeastBatchNs = 500'000'000;
constexpr std::int64_t kMostBatchNs = 1'000'000'000;

bool Has(const FuzzRun& run, const std::string& identity) {
  return std::ranges::any_of(run.findings, [&](const conform::Finding& found) { return found.identity == identity; });
}

// One line of a terminal, which the next replaces.
class ProgressLine {
 public:
  ~ProgressLine() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void Show(const FuzzTotals& totals, std::size_t findings) {
    if (!shown_) return;
    const std::int64_t now_ns = MonotonicClock().NowNs();
    if (now_ns - last_ns_ < 250'000'000) return;
    last_ns_ = now_ns;
    std::fprintf(stderr, "\r\033[K%s",
                 fmt::format("{:.0f} s, {} sequences, {} calls, {} reached the driver, {} findings", totals.seconds, totals.runs,
                             totals.calls, totals.reached, findings)
                     .c_str());
  }

 private:
  const bool shown_ = isatty(STDERR_FILENO) != 0;
  std::int64_t last_ns_ = 0;
};

}  // namespace

FuzzSession::FuzzSession(const FuzzCommand& command, FuzzRunner& runner)
    : command_(command),
      runner_(runner),
      maker_(runner.device(), runner.side(), command.seed),
      batch_steps_(conform::kMostMadeSteps) {
  totals_.driver = command.driver;
  totals_.seed = command.seed;
}

Result<void> FuzzSession::ReadCorpus() {
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
    if (script->device == runner_.device()) corpus_.push_back(*std::move(script));
  }
  return {};
}

Result<void> FuzzSession::Run() {
  ProgressLine progress;
  const std::int64_t begin_ns = MonotonicClock().NowNs();
  // A fault without any call is no fault of a sequence.
  conform::ScriptBatch none(runner_.device());
  none.Add({runner_.device(), {}});
  Try(none);
  do {
    Try(NextBatch());
    totals_.seconds = static_cast<double>(MonotonicClock().NowNs() - begin_ns) / 1e9;
    progress.Show(totals_, results_.size());
  } while ((command_.runs == 0 ? totals_.seconds < command_.seconds : RunsLeft(0)) && results_.size() < kMostFindings);
  if (!unwritten_.empty()) return Fail(ErrorKind::kIo, "{} cannot be written.", unwritten_);
  return {};
}

conform::CallScript FuzzSession::NextScript() {
  return corpus_tried_ < corpus_.size() ? corpus_[corpus_tried_++] : maker_.Next();
}

conform::ScriptBatch FuzzSession::NextBatch() {
  conform::ScriptBatch batch(runner_.device());
  std::uint64_t parts = 0;
  do batch.Add(NextScript());
  while (batch.script().steps.size() < batch_steps_ && batch.HasRoom() && RunsLeft(++parts));
  return batch;
}

FuzzRun FuzzSession::RunOnce(const conform::CallScript& script) {
  FuzzRun run = runner_.Run(script, std::int64_t{command_.limit_s} * 1000);
  totals_.calls += run.calls;
  totals_.reached += run.reached;
  totals_.edges = run.edges;
  totals_.edges_taken = run.edges_taken;
  return run;
}

void FuzzSession::Try(const conform::ScriptBatch& batch) {
  const FuzzRun run = RunOnce(batch.script());
  totals_.runs += std::max<std::size_t>(batch.PartsBegun(run.steps), 1);
  KeepNews(batch, run.news);
  for (const conform::Finding& finding : run.findings) {
    const auto known =
        std::ranges::find_if(results_, [&](const FuzzResult& result) { return result.finding.identity == finding.identity; });
    if (known != results_.end()) {
      ++known->runs;
    } else {
      Add(finding, batch, run);
    }
  }
  if (run.steps == 0) {
    start_ns_ = run.duration_ns;
  } else if (run.steps == batch.script().steps.size()) {
    Resize(run);
  }
}

void FuzzSession::Resize(const FuzzRun& run) {
  const std::int64_t steps_ns = run.duration_ns - start_ns_;
  if (steps_ns < kLeastBatchNs) batch_steps_ = std::min(batch_steps_ * 2, conform::kMostSteps);
  if (steps_ns > kMostBatchNs) batch_steps_ = std::max(batch_steps_ / 2, conform::kMostMadeSteps);
}

// Of each part the steps until its last news.
void FuzzSession::KeepNews(const conform::ScriptBatch& batch, const std::vector<std::size_t>& news) {
  for (std::size_t i = 0; i < news.size(); ++i) {
    if (i + 1 < news.size() && batch.PartsBegun(news[i] + 1) == batch.PartsBegun(news[i + 1] + 1)) continue;
    conform::CallScript script = batch.PartUntil(news[i]);
    ++totals_.kept;
    if (!command_.corpus.empty()) {
      const std::string text = conform::ToText(script, {});
      std::ofstream(fs::path(command_.corpus) / fmt::format("{:016x}.txt", std::hash<std::string>{}(text))) << text;
    }
    maker_.Keep(std::move(script));
  }
}

void FuzzSession::Add(const conform::Finding& finding, const conform::ScriptBatch& batch, const FuzzRun& run) {
  FuzzResult result;
  result.finding = finding;
  result.runs = 1;
  result.printed = conform::Excerpt(run.printed, kExcerptLines);
  conform::CallScript script = Culprit(batch, run, finding);
  result.first_steps = script.steps.size();
  result.script = Shorten(std::move(script), finding);
  for (std::uint32_t i = 0; i < kReplays; ++i) {
    const FuzzRun again = RunOnce(result.script);
    if (!Has(again, finding.identity)) continue;
    ++result.replays;
    for (const conform::Finding& shown : again.findings) {
      if (shown.identity == finding.identity) result.finding = shown;
    }
  }
  result.stack = runner_.Named(result.finding.stack);
  Write(result);
  results_.push_back(std::move(result));
}

// The part that was played, if it shows the finding alone, else all that were played.
conform::CallScript FuzzSession::Culprit(const conform::ScriptBatch& batch, const FuzzRun& run, const conform::Finding& finding) {
  conform::CallScript all = batch.script();
  all.steps.resize(std::min<std::size_t>(all.steps.size(), run.steps));
  if (batch.PartsBegun(all.steps.size()) <= 1) return all;
  conform::CallScript part = batch.PartUntil(all.steps.size() - 1);
  return Shows(part, finding) ? part : all;
}

std::int64_t FuzzSession::PatienceMs(const conform::Finding& finding) const {
  const std::int64_t limit_ms = std::int64_t{command_.limit_s} * 1000;
  return finding.name == "Hang" ? std::min(limit_ms, kLeastPatienceMs + start_ns_ / 100'000) : limit_ms;
}

bool FuzzSession::Shows(const conform::CallScript& script, const conform::Finding& finding) {
  return Has(runner_.Run(script, PatienceMs(finding)), finding.identity);
}

conform::CallScript FuzzSession::Shorten(conform::CallScript script, const conform::Finding& finding) {
  int left = kMostShrinkRuns;
  const std::int64_t end_ns = MonotonicClock().NowNs() + kMostShrinkNs;
  const auto shows = [&](const conform::CallScript& smaller) { return Shows(smaller, finding); };
  // A fault that does not happen each time is not shortened.
  if (!shows(script) || !shows(script)) return script;
  return conform::Shrink(std::move(script), shows, [&] { return left-- > 0 && MonotonicClock().NowNs() < end_ns; });
}

void FuzzSession::Write(FuzzResult& result) {
  std::error_code error;
  fs::create_directories(command_.folder, error);
  const std::string name = fs::path(command_.driver).stem().string();
  const fs::path file = fs::path(command_.folder) / fmt::format("{}-{}.txt", name, results_.size() + 1);
  std::ofstream stream(file);
  stream << conform::ToText(result.script, RemarksOf(result, totals_));
  if (!stream.flush()) unwritten_ = file.string();
  result.file = file.string();
}

}  // namespace tandem::cli
