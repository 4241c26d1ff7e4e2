// tandem adapters --pairs: the memory between each two adapters, what probes found of it, and the path that follows.
#pragma once

#include <string>

#include "cli/command_line.h"
#include "system/pair_report.h"

namespace tandem::cli {

[[nodiscard]] std::string PairsTable(const system::PairReport& report);
[[nodiscard]] std::string PairsJson(const system::PairReport& report);

// Prints the pairs on standard output and returns the exit code.
[[nodiscard]] int ListPairs(const AdaptersCommand& command);

}  // namespace tandem::cli
