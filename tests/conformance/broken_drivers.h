// The soft driver with one thing wrong: proof that a rule can fail.
#pragma once

#include <string>
#include <vector>

#include "conform/driver_under_test.h"

namespace tandem::conform {

struct BrokenDriver {
  std::string what;  // "SkipsTheLastRectangle"
  std::string rule;  // that it breaks
  void (*edit)(DRIVER_INITIALIZATION_DATA& table) = nullptr;
};

[[nodiscard]] const std::vector<BrokenDriver>& BrokenDrivers();

// The soft driver with the table edited. The edit belongs to the process: one broken driver in a process.
[[nodiscard]] DriverUnderTest Break(const DriverUnderTest& soft, const BrokenDriver& broken);

}  // namespace tandem::conform
