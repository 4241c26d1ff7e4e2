// `tandem conform`: the rules of the driver contract on a driver, with a report.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/conform_candidates.h"
#include "cli/conform_report.h"
#include "conform/contained.h"
#include "conform/plan.h"

namespace tandem::cli {

inline constexpr int kExitRuleBroken = 1;

// A trial's name in a process of its own, with further arguments, at most command.limit_s. Threads: any.
[[nodiscard]] conform::ContainedOutcome RunAlone(const ConformCommand& command, const Candidate& candidate,
                                                 const std::string& trial, const std::vector<std::string>& further = {});

// One trial in a process of its own, at most command.limit_s. Threads: any.
[[nodiscard]] TrialResult TryTrial(const ConformCommand& command, const Candidate& candidate, const conform::Trial& trial);

// Exit code: 0 when no rule is broken, kExitRuleBroken when one is, kExitFailure when nothing could be tried.
[[nodiscard]] int Conform(const ConformCommand& command);

}  // namespace tandem::cli
