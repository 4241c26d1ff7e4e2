// What `tandem conform` says: for people, as JSON, as JUnit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conform/plan.h"

namespace tandem::cli {

struct TrialResult {
  conform::Trial trial;
  conform::Outcome outcome;
  std::int64_t duration_ns = 0;
};

// One line, and for a broken rule what was seen and where the rule stands.
[[nodiscard]] std::string ToText(const TrialResult& result);
// "14 rules: 12 hold, 1 is broken, 1 does not apply.\n"
[[nodiscard]] std::string Summary(std::span<const TrialResult> results);
[[nodiscard]] std::string ToJson(std::span<const TrialResult> results);
[[nodiscard]] std::string ToJunit(std::span<const TrialResult> results);
// Every rule: id, sentence, source.
[[nodiscard]] std::string ListOfRules(std::span<const conform::Trial> plan);

}  // namespace tandem::cli
