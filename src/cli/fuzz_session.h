// A session of `tandem fuzz`: random sequences until its time is over, and what broke the driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/fuzz_report.h"
#include "cli/fuzz_runs.h"
#include "conform/fuzz/call_script.h"
#include "conform/fuzz/script_batch.h"
#include "conform/fuzz/script_maker.h"

namespace tandem::cli {

// Threads: one.
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
  // False after so many more sequences as `--runs` allows.
  [[nodiscard]] bool RunsLeft(std::uint64_t more) const { return command_.runs == 0 || totals_.runs + more < command_.runs; }
  [[nodiscard]] conform::CallScript NextScript();
  [[nodiscard]] conform::ScriptBatch NextBatch();
  FuzzRun RunOnce(const conform::CallScript& script);
  void Try(const conform::ScriptBatch& batch);
  void Resize(const FuzzRun& run);
  void KeepNews(const conform::ScriptBatch& batch, const std::vector<std::size_t>& news);
  void Add(const conform::Finding& finding, const conform::ScriptBatch& batch, const FuzzRun& run);
  [[nodiscard]] conform::CallScript Culprit(const conform::ScriptBatch& batch, const FuzzRun& run,
                                            const conform::Finding& finding);
  [[nodiscard]] std::int64_t PatienceMs(const conform::Finding& finding) const;
  [[nodiscard]] bool Shows(const conform::CallScript& script, const conform::Finding& finding);
  [[nodiscard]] conform::CallScript Shorten(conform::CallScript script, const conform::Finding& finding);
  void Write(FuzzResult& result);

  const FuzzCommand& command_;
  FuzzRunner& runner_;
  conform::ScriptMaker maker_;
  std::vector<conform::CallScript> corpus_;
  std::size_t corpus_tried_ = 0;
  std::size_t batch_steps_;    // least steps of a batch, but for the last
  std::int64_t start_ns_ = 0;  // that a run without a step takes
  FuzzTotals totals_;
  std::vector<FuzzResult> results_;
  std::string unwritten_;  // a finding's file
};

}  // namespace tandem::cli
