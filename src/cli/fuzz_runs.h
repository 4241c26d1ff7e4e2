// Runs of `tandem fuzz`: each sequence in a process of its own, and what all runs saw.
#pragma once

#include <array>
#include <cstdint>
#include <string>
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
  bool saw_new = false;       // a DDI, or an answer of one, that no run had before
  std::int64_t duration_ns = 0;
};

// Threads: one.
class FuzzRunner {
 public:
  // Enters the driver in a process of its own. kUnsupported with the reason when it does not start.
  [[nodiscard]] static Result<FuzzRunner> Create(const FuzzCommand& command);

  [[nodiscard]] conform::ScriptDevice device() const { return device_; }
  [[nodiscard]] FuzzRun Run(const conform::CallScript& script, std::int64_t limit_ms);
  // Lines such as "Escape at Device.cpp:12", innermost first; offsets where the driver has no names or the system no addr2line.
  [[nodiscard]] std::vector<std::string> Named(const std::vector<std::uint64_t>& stack) const;

 private:
  FuzzRunner(const FuzzCommand& command, TemporaryFolder folder, conform::NotesFile notes)
      : command_(command), folder_(std::move(folder)), notes_(std::move(notes)) {}
  [[nodiscard]] Result<void> Ask();

  const FuzzCommand& command_;
  TemporaryFolder folder_;
  conform::NotesFile notes_;
  std::vector<std::string> environment_;  // of the runs' processes
  conform::ScriptDevice device_ = conform::ScriptDevice::kBus;
  std::array<std::uint64_t, 64> seen_{};
};

}  // namespace tandem::cli
