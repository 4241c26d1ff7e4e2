// Clocks of the system beside base/clock.h's, by which others stamp their events.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

namespace tandem {

// Nanoseconds, as clock_gettime(2) counts them. Empty: the system has no such clock.
[[nodiscard]] std::optional<std::int64_t> ReadClock(clockid_t clock);

}  // namespace tandem
