// Runs of `tandem fuzz`: each script in a process of its own, and what all runs saw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/temporary_folder.h"
#include "conform/fuzz/call_script.h"
#include "conform/fuzz/finding.h"
#include "conform/fuzz/run_notes.h"

namespace tandem::cli {

struct FuzzRun {
  std::vector<conform::Finding> findings;
  std::string printed;        // by the run's process
  std::uint32_t steps = 0;    // that were begun
  std::uint32_t calls = 0;    // steps that are no events of the device
  std::uint32_t reached = 0;  // calls that entered the driver
  // Steps at which the driver was in a DDI, or gave an answer, that no step had before, or took such an edge of its code.
  std::vector<std::size_t> news;
  std::size_t edges = 0;     // of the driver's code; 0: it was built without coverage
  conform::SeenByRuns seen;  // by it and what it was told of
  std::int64_t duration_ns = 0;
};

class FuzzRunner {
 public:
  // Enters the driver in a process of its own. kUnsupported with the reason when it does not start.
  [[nodiscard]] static Result<FuzzRunner> Create(const FuzzCommand& command);

  [[nodiscard]] conform::ScriptDevice device() const { return device_; }
  [[nodiscard]] conform::CallSide side() const { return side_; }
  // `job` is 0 to FuzzCommand::jobs; `seen` is by earlier runs. Threads: one for each job.
  [[nodiscard]] FuzzRun Run(const conform::CallScript& script, std::int64_t limit_ms, const conform::SeenByRuns& seen,
                            std::size_t job = 0);

 private:
  FuzzRunner(const FuzzCommand& command, TemporaryFolder folder) : command_(command), folder_(std::move(folder)) {}
  [[nodiscard]] std::string FileOf(std::string_view name, std::size_t job) const;
  [[nodiscard]] Result<void> Ask();

  const FuzzCommand& command_;
  TemporaryFolder folder_;
  std::vector<conform::NotesFile> notes_;  // of each job
  std::vector<std::string> environment_;   // of the runs' processes
  conform::ScriptDevice device_ = conform::ScriptDevice::kBus;
  conform::CallSide side_ = conform::CallSide::kFull;
};

}  // namespace tandem::cli
