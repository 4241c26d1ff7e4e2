#include "tests/integration/conform_report.h"

namespace tandem::test {

std::string FailedTrials(const nlohmann::json& report) {
  std::string text = "passed " + report["passed"].dump() + ", failed " + report["failed"].dump();
  for (const auto& trial : report["trials"]) {
    if (trial["verdict"] == "fail") text += "\n" + trial.dump();
  }
  return text;
}

}  // namespace tandem::test
