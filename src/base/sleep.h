// Sleeping by a clock.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace tandem {

// Blocks the calling thread for `duration_ns` by `clock`; 0 or less returns at once. Nothing wakes it earlier.
void SleepFor(Clock& clock, std::int64_t duration_ns);

}  // namespace tandem
