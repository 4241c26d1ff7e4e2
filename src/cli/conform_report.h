// The report of `tandem conform` for programs. Both forms are stable: fields and values are added, never changed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "conform/plan.h"

namespace tandem::cli {

struct TrialResult {
  std::string driver;  // that is judged, on whichever side of the trial's pair it stands
  conform::Trial trial;
  conform::Outcome outcome;
  std::int64_t duration_ns = 0;
};

[[nodiscard]] std::string ToJson(std::span<const TrialResult> results);
// A test suite for each driver, a test case for each trial.
[[nodiscard]] std::string ToJunit(std::span<const TrialResult> results);

}  // namespace tandem::cli
