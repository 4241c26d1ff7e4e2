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
  std::string printed;  // by the trial's process
  std::int64_t duration_ns = 0;
  std::string races{};  // ThreadSanitizer's reports of those, which lay between what was printed
};

// Lines of what was printed that a broken rule brings along.
inline constexpr std::size_t kExcerptLines = 12;
enum class Printed { kNothing, kExcerpt, kAll };

// The sentence of what was seen; for a broken rule the excerpt of the driver's output follows.
[[nodiscard]] std::string SeenAndPrinted(const TrialResult& result);

// Printed::kAll: each trial with everything that it printed.
[[nodiscard]] std::string ToJson(std::span<const TrialResult> results, Printed printed);
// The rules of a plan, as `--list --json` says them.
[[nodiscard]] std::string ListAsJson(std::span<const conform::Trial> plan);
// A test suite for each driver, a test case for each trial.
[[nodiscard]] std::string ToJunit(std::span<const TrialResult> results);

}  // namespace tandem::cli
