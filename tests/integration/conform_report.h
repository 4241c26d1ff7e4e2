// Reports of `tandem conform --json`, for the failures of tests.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace tandem::test {

// The counts, then a line for each trial that fails.
[[nodiscard]] std::string FailedTrials(const nlohmann::json& report);

}  // namespace tandem::test
