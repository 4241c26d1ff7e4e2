#include "cli/fuzz_session.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "cli/conform_report.h"
#include "cli/driver_frames.h"
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

}  // namespace

FuzzSession::FuzzSession(const FuzzCommand& command, FuzzRunner& runner)
    : command_(command),
      limit_ms_(std::int64_t{command.limit_s} * 1000),
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
  begin_ns_ = MonotonicClock().NowNs();
  {
    // A fault without any call is no fault of a sequence.
    const MutexLock lock(mutex_);
    conform::ScriptBatch none(runner_.device());
    none.Add({runner_.device(), {}});
    ++handed_out_;
    Learn(none, RunAgain(none.script(), limit_ms_));
  }
  std::vector<Thread> jobs;
  for (std::size_t job = 1; job < command_.jobs; ++job) {
    auto thread = Thread::Start("fuzz", [this, job] { Work(job); });
    if (thread.ok()) jobs.push_back(*std::move(thread));  // fewer jobs take longer
  }
  Work(0);
  jobs.clear();
  const MutexLock lock(mutex_);
  progress_.Clear();
  if (!unwritten_.empty()) return Fail(ErrorKind::kIo, "{} cannot be written.", unwritten_);
  return {};
}

void FuzzSession::Work(std::size_t job) {
  MutexLock lock(mutex_);
  while (!TimeIsOver()) {
    const conform::ScriptBatch batch = NextBatch();
    const conform::SeenByRuns seen = seen_;
    lock.Unlock();
    const FuzzRun run = runner_.Run(batch.script(), limit_ms_, seen, job);
    lock.Lock();
    Learn(batch, run);
  }
}

// One batch, at least, was tried.
bool FuzzSession::TimeIsOver() {
  totals_.seconds = static_cast<double>(MonotonicClock().NowNs() - begin_ns_) / 1e9;
  progress_.Show(totals_, results_.size());
  const bool left = command_.runs == 0 ? totals_.seconds < command_.seconds || totals_.runs <= 1 : RunsLeft();
  return !left || results_.size() >= kMostFindings;
}

conform::ScriptBatch FuzzSession::NextBatch() {
  conform::ScriptBatch batch(runner_.device());
  do {
    batch.Add(corpus_tried_ < corpus_.size() ? corpus_[corpus_tried_++] : maker_.Next());
    ++handed_out_;
  } while (batch.script().steps.size() < batch_steps_ && batch.HasRoom() && RunsLeft());
  return batch;
}

void FuzzSession::Count(const FuzzRun& run) {
  totals_.calls += run.calls;
  totals_.reached += run.reached;
  seen_.Add(run.seen);
  totals_.Count(run.edges, seen_);
}

void FuzzSession::Learn(const conform::ScriptBatch& batch, const FuzzRun& run) {
  Count(run);
  const std::size_t begun = std::max<std::size_t>(batch.PartsBegun(run.steps), 1);
  totals_.runs += begun;
  handed_out_ -= batch.parts() - begun;
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

// Each part is kept until its last news.
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
    const FuzzRun again = RunAgain(result.script, limit_ms_);
    Count(again);
    if (!Has(again, finding.identity)) continue;
    ++result.replays;
    for (const conform::Finding& shown : again.findings) {
      if (shown.identity == finding.identity) result.finding = shown;
    }
  }
  result.stack = NamedFrames(command_.driver, result.finding.stack);
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
  return finding.name == "Hang" ? std::min(limit_ms_, kLeastPatienceMs + start_ns_ / 100'000) : limit_ms_;
}

FuzzRun FuzzSession::RunAgain(const conform::CallScript& script, std::int64_t limit_ms) {
  return runner_.Run(script, limit_ms, seen_, command_.jobs);
}

bool FuzzSession::Shows(const conform::CallScript& script, const conform::Finding& finding) {
  return Has(RunAgain(script, PatienceMs(finding)), finding.identity);
}

conform::CallScript FuzzSession::Shorten(conform::CallScript script, const conform::Finding& finding) {
  int left = kMostShrinkRuns;
  const std::int64_t end_ns = MonotonicClock().NowNs() + kMostShrinkNs;
  const auto shows = [&](const conform::CallScript& smaller) TANDEM_REQUIRES(mutex_) { return Shows(smaller, finding); };
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
