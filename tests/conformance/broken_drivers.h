// The soft driver with one thing wrong: proof that a rule can fail.
#pragma once

#include <string>
#include <vector>

#include "conform/driver_under_test.h"
#include "conform/rule.h"

namespace tandem::conform {

struct BrokenDriver {
  std::string what;  // "SkipsTheLastRectangle"
  std::string rule;  // that it breaks
  void (*edit)(DRIVER_INITIALIZATION_DATA& table) = nullptr;
  std::string seen = {};  // words of the report about it
  SeenBy by = SeenBy::kBody;
};

[[nodiscard]] const std::vector<BrokenDriver>& BrokenDrivers();
// Those of them that answer or report wrongly, rather than draw wrongly.
[[nodiscard]] std::vector<BrokenDriver> DriversThatLie();
// And those whose screens are wrong.
[[nodiscard]] std::vector<BrokenDriver> DriversThatShowWrongly();
// And those that go wrong between the driver and its engine, or keep what they should give back.
[[nodiscard]] std::vector<BrokenDriver> DriversThatSubmitWrongly();

// The table before the edit.
[[nodiscard]] const DRIVER_INITIALIZATION_DATA& SoundTable();

// A driver of this build, such as the soft one, with the table edited. The edit belongs to the process: one broken driver at a
// time.
[[nodiscard]] DriverUnderTest Break(const DriverUnderTest& soft, const BrokenDriver& broken);

}  // namespace tandem::conform
