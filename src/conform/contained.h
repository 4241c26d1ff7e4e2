// A trial in a process of its own: a driver that crashes or hangs takes nothing with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/rule.h"

namespace tandem::conform {

// The descriptor on which the process of a trial tells its outcome.
inline constexpr int kOutcomeFd = 3;

struct ContainedTrial {
  std::vector<std::string> argv;         // argv[0] is a path
  std::vector<std::string> environment;  // NAME=value, in place of this process's variables of those names
  std::int64_t limit_ms = 0;
};

struct ContainedOutcome {
  Outcome outcome;
  // Standard output and standard error together: the last kMostPrinted bytes.
  std::string printed;
};

inline constexpr std::size_t kMostPrinted = std::size_t{1} << 20;

// Starts the process, which calls TellOutcome() once, and waits for its end, `limit_ms` at most. A process that dies by a signal,
// ends without an outcome or with an error, does not end, or whose sanitizer reports something has failed the rule: the sentence
// says which. Threads: any.
[[nodiscard]] ContainedOutcome RunContained(const ContainedTrial& trial);

// Writes the outcome to kOutcomeFd. False when nobody listens.
[[nodiscard]] bool TellOutcome(const Outcome& outcome);

}  // namespace tandem::conform
