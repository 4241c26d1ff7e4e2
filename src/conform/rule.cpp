#include "conform/rule.h"

#include <exception>

#include "conform/rig.h"

namespace tandem::conform {

Outcome RunRule(const Rule& rule, Rig& rig) {
  Outcome outcome;
  try {
    rule.body(rig);
  } catch (const NotApplicable& reason) {
    outcome = {Verdict::kNotApplicable, reason.what()};
  } catch (const std::exception& broken) {
    outcome = {Verdict::kFail, broken.what(), SeenBy::kBody};
  }
  const std::string violations = rig.Violations();
  if (!violations.empty())
    return {Verdict::kFail, outcome.seen.empty() ? violations : outcome.seen + " " + violations, SeenBy::kKernel};
  return outcome;
}

}  // namespace tandem::conform
