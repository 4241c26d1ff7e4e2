// The rules that Windows lets a driver pass, as verdicts of their own beside those of the trials.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/conform_report.h"
#include "conform/driver_under_test.h"
#include "conform/rule.h"

namespace tandem::cli {

// Collects conform::Outcome::tolerated of one driver's trials.
class ToleratedRules {
 public:
  void Note(const TrialResult& result);
  // A broken rule for each that no trial of its own found broken, with everything that was seen, in the order of the first
  // reports. `driver` must outlive the results.
  [[nodiscard]] std::vector<TrialResult> Broken(const conform::DriverUnderTest& driver) const;

 private:
  struct Found {
    const conform::Rule* rule;
    std::uint32_t seed;               // of the first trial that saw it
    std::string first;                // that trial's name
    std::string printed;              // what it says of the rule
    std::vector<std::string> seen{};  // sentences, each once
  };
  std::vector<Found> found_;
  std::vector<const conform::Rule*> failed_;  // by trials of their own
};

}  // namespace tandem::cli
