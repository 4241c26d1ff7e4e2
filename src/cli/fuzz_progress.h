// The progress of `tandem fuzz` on a terminal.
#pragma once

#include <cstdint>

#include "cli/fuzz_report.h"

namespace tandem::cli {

// One line, which the next replaces. Shows nothing where standard error is no terminal. Threads: one at a time.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void Show(const FuzzTotals& totals, std::size_t findings);
  void Clear() const;

 private:
  const bool shown_;
  std::int64_t last_ns_ = 0;
};

}  // namespace tandem::cli
