// The report of `tandem conform` for people.
#pragma once

#include <span>
#include <string>

#include "cli/conform_report.h"
#include "cli/terminal.h"
#include "conform/plan.h"
#include "conform/rule.h"

namespace tandem::cli {

// While the trials run: one line each, for a broken rule what was seen and printed, and with Printed::kAll for each rule
// everything that was printed.
[[nodiscard]] std::string ToText(const TrialResult& result, const TextStyle& style, Printed printed);
// The report of one trial: verdict, rule, what was seen, source.
[[nodiscard]] std::string VerdictOf(const conform::Trial& trial, const conform::Outcome& outcome, const TextStyle& style);
// At the end, for one driver: how many rules of each subject hold, why others do not apply, what is broken, and the verdict.
[[nodiscard]] std::string Summary(std::span<const TrialResult> results, const TextStyle& style);
// Every trial with its rule's sentence, source and what it decides.
[[nodiscard]] std::string ListOfRules(std::span<const conform::Trial> plan, const TextStyle& style);

}  // namespace tandem::cli
