// CPU time of this process.
#pragma once

#include <cstdint>

namespace tandem {

// Nanoseconds of CPU time of all the process's threads since it started, in steps of 1000. Thread-safe.
[[nodiscard]] std::int64_t ProcessCpuNs();

}  // namespace tandem
