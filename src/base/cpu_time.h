// What this process costs.
#pragma once

#include <cstdint>

namespace tandem {

// Nanoseconds of CPU time that all threads of the process have used since it started, in steps of 1000. Thread-safe.
[[nodiscard]] std::int64_t ProcessCpuNs();

}  // namespace tandem
