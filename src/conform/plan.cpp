#include "conform/plan.h"

#include "conform/rig.h"

namespace tandem::conform {

std::string Trial::name() const {
  const std::string_view id = rule->id;
  switch (rule->needs) {
    case Needs::kRender: return fmt::format("{} on {}", id, pair.render->name);
    case Needs::kDisplay: return fmt::format("{} on {}", id, pair.display->name);
    case Needs::kTwoAdapters: break;
  }
  return fmt::format("{} on {} to {}", id, pair.render->name, pair.display->name);
}

std::vector<Trial> PlanFor(const DriverUnderTest& driver, const DriverUnderTest& reference) {
  const AdapterPair alone{&driver, driver.shows_outputs ? &driver : &reference};
  std::vector<Trial> plan;
  for (const Rule& rule : AllRules()) {
    if (rule.needs == Needs::kDisplay && !driver.shows_outputs) continue;
    if (rule.needs != Needs::kTwoAdapters) {
      plan.push_back({&rule, alone});
      continue;
    }
    plan.push_back({&rule, {&driver, &reference}});
    if (driver.shows_outputs && driver.entry != reference.entry) plan.push_back({&rule, {&reference, &driver}});
  }
  return plan;
}

Outcome RunTrial(const Trial& trial) {
  try {
    Rig rig(trial.pair);
    return RunRule(*trial.rule, rig);
  } catch (const RuleBroken& broken) {
    return {Verdict::kFail, broken.what()};
  }
}

}  // namespace tandem::conform
