#include "conform/rule.h"

#include <exception>

#include "conform/rig.h"
#include "conform/sentences.h"

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
  if (const std::string violations = rig.Violations(); !violations.empty()) {
    AppendSentence(outcome.seen, violations);
    outcome.verdict = Verdict::kFail;
    outcome.by = SeenBy::kKernel;
  }
  return outcome;
}

}  // namespace tandem::conform
