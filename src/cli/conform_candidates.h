// The drivers that `tandem conform` judges: of this machine's adapters, or a stranger's.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "conform/driver_under_test.h"
#include "conform/plan.h"

namespace tandem::cli {

struct Candidate {
  conform::DriverUnderTest driver;
  std::vector<std::string> arguments;    // by which a process of a trial finds it again
  std::vector<std::string> environment;  // that such a process needs
};

// A stranger's driver is only known by name: its code runs in the processes of trials alone. kNotFound: it cannot be loaded, or
// there is no such adapter.
[[nodiscard]] Result<std::vector<Candidate>> FindCandidates(const ConformCommand& command);

// In the process of a trial: the one driver, loaded.
[[nodiscard]] Result<Candidate> LoadCandidate(const ConformCommand& command);

// Drivers of this process find from now on: the values of system::ReadDriverFile, unless `registry` is empty, and their
// memory's guard pages. ReadDriverFile's errors.
[[nodiscard]] Result<void> SetForDrivers(const std::string& registry, bool guard_pages);

// The trials of a candidate, beside the reference driver.
[[nodiscard]] std::vector<conform::Trial> TrialsFor(const ConformCommand& command, const Candidate& candidate);

}  // namespace tandem::cli
