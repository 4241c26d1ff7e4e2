// Anybody's driver: a shared object that exports DriverEntry.
#pragma once

#include <string>

#include "base/result.h"
#include "conform/driver_under_test.h"

namespace tandem::conform {

// The library stays loaded. Its adapter gets no device extension and no outputs, and nobody asks it for surfaces: what it can show is
// that it loads, starts, answers and stops by the rules that the kernel checks. kNotFound (no such file, or no DriverEntry in it).
[[nodiscard]] Result<DriverUnderTest> LoadDriver(const std::string& path);

}  // namespace tandem::conform
