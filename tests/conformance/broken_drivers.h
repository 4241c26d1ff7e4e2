// The soft driver with one fault, as proof that a rule can fail.
#pragma once

#include <string>
#include <vector>

#include "conform/driver_under_test.h"
#include "conform/rule.h"

namespace tandem::conform {

struct BrokenDriver {
  std::string what;  // "SkipsTheLastRectangle"
  std::string rule;  // the rule that it breaks
  void (*edit)(DRIVER_INITIALIZATION_DATA& table) = nullptr;
  std::string seen = {};  // words in the report
  SeenBy by = SeenBy::kBody;
  PFND3D10DDI_OPENADAPTER open_adapter = nullptr;  // a broken user-mode half; null: the sound one
  PFNTANDEM_ATTACH_KERNEL attach = nullptr;        // a driver host; null: none
};

[[nodiscard]] const std::vector<BrokenDriver>& BrokenDrivers();
// The drivers that answer or report wrongly.
[[nodiscard]] std::vector<BrokenDriver> DriversThatLie();
// The drivers whose screens are wrong.
[[nodiscard]] std::vector<BrokenDriver> DriversThatShowWrongly();
// The drivers with faults between driver and engine, or with leaks.
[[nodiscard]] std::vector<BrokenDriver> DriversThatSubmitWrongly();

// And those that know their targets wrongly.
[[nodiscard]] std::vector<BrokenDriver> DriversWithWrongTargets();
// The drivers that offer no modes or spoil a VidPN.
[[nodiscard]] std::vector<BrokenDriver> DriversWithWrongVidPns();
// The drivers with wrong pointers, monitors and last words.
[[nodiscard]] std::vector<BrokenDriver> DriversWithWrongScreens();
// The drivers that Windows does not start, or stops.
[[nodiscard]] std::vector<BrokenDriver> DriversThatWindowsRejects();
// The drivers whose user-mode half is broken.
[[nodiscard]] std::vector<BrokenDriver> DriversWithBrokenUserMode();

// The table before the edit.
[[nodiscard]] const DRIVER_INITIALIZATION_DATA& SoundTable();

// A driver of this build, such as the soft one, with an edited table. The edit applies to the whole process, so only one broken
// driver may exist at a time.
[[nodiscard]] DriverUnderTest Break(const DriverUnderTest& soft, const BrokenDriver& broken);

}  // namespace tandem::conform
