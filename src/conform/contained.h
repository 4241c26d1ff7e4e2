// A trial in a process of its own: a driver that crashes or hangs takes nothing with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/rule.h"

namespace tandem::conform {

// The descriptor on which the process of a trial tells its outcome.
inline constexpr int kOutcomeFd = 3;

// Starts `argv` (argv[0] is a path), which calls TellOutcome() once, and waits for its end, `limit_ms` at most. A process that
// dies by a signal, ends without an outcome or does not end has failed the rule: the sentence says which. What it prints is
// dropped. Threads: one at a time.
[[nodiscard]] Outcome RunContained(const std::vector<std::string>& argv, std::int64_t limit_ms);

// In the process of a trial: when it crashes, or is asked because it hangs, it tells first in which DDI.
void TellWhereItEnds();

// Writes the outcome to kOutcomeFd. False when nobody listens.
[[nodiscard]] bool TellOutcome(const Outcome& outcome);

}  // namespace tandem::conform
