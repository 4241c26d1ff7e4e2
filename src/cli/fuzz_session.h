// A session of `tandem fuzz`: random sequences until its time is over, and what broke the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "cli/command_line.h"
#include "cli/fuzz_progress.h"
#include "cli/fuzz_report.h"
#include "cli/fuzz_runs.h"
#include "conform/fuzz/call_script.h"
#include "conform/fuzz/finding.h"
#include "conform/fuzz/run_notes.h"
#include "conform/fuzz/script_batch.h"
#include "conform/fuzz/script_maker.h"

namespace tandem::cli {

// Threads: one; a run with jobs has threads of its own.
class FuzzSession {
 public:
  // Both outlive it.
  FuzzSession(const FuzzCommand& command, FuzzRunner& runner);

  // Scripts of the corpus, in the order of their names, come first. kIo, and ReadScript's errors.
  [[nodiscard]] Result<void> ReadCorpus();
  // Shows its progress on a terminal. kIo: a finding's file cannot be written; the results are there all the same.
  [[nodiscard]] Result<void> Run();

  // In the order in which they were found.
  [[nodiscard]] const std::vector<FuzzResult>& results() const { return results_; }
  [[nodiscard]] const FuzzTotals& totals() const { return totals_; }

 private:
  // Batch after batch, until the session's time is over.
  void Work(std::size_t job);
  [[nodiscard]] bool TimeIsOver() TANDEM_REQUIRES(mutex_);
  // More sequences may be handed out.
  [[nodiscard]] bool RunsLeft() const TANDEM_REQUIRES(mutex_) { return command_.runs == 0 || handed_out_ < command_.runs; }
  [[nodiscard]] conform::ScriptBatch NextBatch() TANDEM_REQUIRES(mutex_);
  void Count(const FuzzRun& run) TANDEM_REQUIRES(mutex_);
  void Learn(const conform::ScriptBatch& batch, const FuzzRun& run) TANDEM_REQUIRES(mutex_);
  void Resize(const FuzzRun& run) TANDEM_REQUIRES(mutex_);
  void KeepNews(const conform::ScriptBatch& batch, const std::vector<std::size_t>& news) TANDEM_REQUIRES(mutex_);
  // The other jobs wait meanwhile.
  void Add(const conform::Finding& finding, const conform::ScriptBatch& batch, const FuzzRun& run) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] conform::CallScript Culprit(const conform::ScriptBatch& batch, const FuzzRun& run,
                                            const conform::Finding& finding) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] std::int64_t PatienceMs(const conform::Finding& finding) const TANDEM_REQUIRES(mutex_);
  // A run beside those of the jobs.
  [[nodiscard]] FuzzRun RunAgain(const conform::CallScript& script, std::int64_t limit_ms) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool Shows(const conform::CallScript& script, const conform::Finding& finding) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] conform::CallScript Shorten(conform::CallScript script, const conform::Finding& finding) TANDEM_REQUIRES(mutex_);
  void Write(FuzzResult& result) TANDEM_REQUIRES(mutex_);

  const FuzzCommand& command_;
  const std::int64_t limit_ms_;  // of a run
  FuzzRunner& runner_;
  std::int64_t begin_ns_ = 0;
  Mutex mutex_;  // not held while a job runs its batch
  conform::ScriptMaker maker_ TANDEM_GUARDED_BY(mutex_);
  conform::SeenByRuns seen_ TANDEM_GUARDED_BY(mutex_);
  std::vector<conform::CallScript> corpus_;
  std::size_t corpus_tried_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::uint64_t handed_out_ TANDEM_GUARDED_BY(mutex_) = 0;  // sequences, without those that a run did not come to
  std::size_t batch_steps_ TANDEM_GUARDED_BY(mutex_);       // least steps of a batch, but for the last
  std::int64_t start_ns_ TANDEM_GUARDED_BY(mutex_) = 0;     // that a run without a step takes
  ProgressLine progress_ TANDEM_GUARDED_BY(mutex_);
  FuzzTotals totals_;
  std::vector<FuzzResult> results_;
  std::string unwritten_ TANDEM_GUARDED_BY(mutex_);  // a finding's file
};

}  // namespace tandem::cli
