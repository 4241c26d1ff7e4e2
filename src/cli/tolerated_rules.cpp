#include "cli/tolerated_rules.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conform/rules.h"

namespace tandem::cli {
namespace {

// Null: this build has no such rule.
const conform::Rule* FindRule(std::string_view id) {
  for (const auto rules : {conform::ToleratedNtRules(), conform::AllRules(), std::span(&conform::RaceRule(), 1)}) {
    const auto found = std::ranges::find(rules, id, &conform::Rule::id);
    if (found != rules.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

void ToleratedRules::Note(const TrialResult& result) {
  if (result.outcome.verdict == conform::Verdict::kFail) failed_.push_back(result.trial.rule);
  for (const auto& [id, seen] : result.outcome.tolerated) {
    const conform::Rule* const rule = FindRule(id);
    if (rule == nullptr) continue;
    auto found = std::ranges::find(found_, rule, &Found::rule);
    if (found == found_.end()) {
      const bool is_race = rule == &conform::RaceRule();
      found = found_.insert(found, {rule, result.trial.seed, result.trial.name(), is_race ? result.races : std::string()});
    }
    if (std::ranges::find(found->seen, seen) == found->seen.end()) found->seen.push_back(seen);
  }
}

std::vector<TrialResult> ToleratedRules::Broken(const conform::DriverUnderTest& driver) const {
  std::vector<TrialResult> broken;
  for (const Found& found : found_) {
    if (std::ranges::find(failed_, found.rule) != failed_.end()) continue;
    TrialResult& result = broken.emplace_back();
    result.driver = driver.name;
    result.trial = {.rule = found.rule, .pair = {&driver, &driver}, .seed = found.seed};
    result.outcome = {conform::Verdict::kFail, fmt::format("{} {} saw it first.", fmt::join(found.seen, " "), found.first)};
    result.printed = found.printed;
  }
  return broken;
}

}  // namespace tandem::cli
