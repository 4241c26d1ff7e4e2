// Texts of tandem doctor, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor_checks.h"
#include "cli/terminal.h"

namespace tandem::cli {

struct FindingGroup {
  std::string title;
  Findings findings;
};

[[nodiscard]] std::string DoctorText(const std::vector<FindingGroup>& groups, const TextStyle& style);
[[nodiscard]] std::string DoctorJson(const std::vector<FindingGroup>& groups);
[[nodiscard]] std::size_t CountOf(const std::vector<FindingGroup>& groups, FindingState state);

}  // namespace tandem::cli
