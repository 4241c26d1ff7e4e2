// Clocks of the system beside base/clock.h's, by which others stamp their events.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

namespace tandem {

// The clock of that name, in nanoseconds. Empty: the system has none.
[[nodiscard]] std::optional<std::int64_t> ReadClock(clockid_t clock);

// The lead of the clock of that name over CLOCK_MONOTONIC, in nanoseconds. The closest of a few readings counts, so that a thread
// that was held between two of them shifts nothing. Empty: the system has none.
[[nodiscard]] std::optional<std::int64_t> AheadOfMonotonicNs(clockid_t clock);

}  // namespace tandem
