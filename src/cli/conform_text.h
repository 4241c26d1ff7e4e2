// The report of `tandem conform` for people.
#pragma once

#include <span>
#include <string>

#include "cli/conform_report.h"
#include "cli/terminal.h"

namespace tandem::cli {

// While the trials run: one line each, and for a broken rule what was seen.
[[nodiscard]] std::string ToText(const TrialResult& result, const TextStyle& style);
// At the end, for one driver: how many rules of each subject hold, why others do not apply, what is broken, and the verdict.
[[nodiscard]] std::string Summary(std::span<const TrialResult> results, const TextStyle& style);
// Every trial with its rule's sentence, source and what it decides.
[[nodiscard]] std::string ListOfRules(std::span<const conform::Trial> plan, const TextStyle& style);

}  // namespace tandem::cli
