#include "conform/plan.h"

#include "conform/refusals.h"
#include "conform/rig.h"
#include "conform/through_shim.h"

namespace tandem::conform {

std::string Trial::name() const {
  const std::string_view id = rule->id;
  if (form) return fmt::format("{} (shim: {}) on {} to {}", id, ToString(*form), pair.render->name, pair.display->name);
  switch (rule->needs) {
    case Needs::kRender: return fmt::format("{} on {}", id, pair.render->name);
    case Needs::kDisplay: return fmt::format("{} on {}", id, pair.display->name);
    case Needs::kTwoAdapters: break;
  }
  return fmt::format("{} on {} to {}", id, pair.render->name, pair.display->name);
}

namespace {

// The rig starts the adapters before it runs a body.
constexpr Rule kStart{"Driver.Start", "The driver loads, and its adapter starts.", "DRIVER_INITIALIZE, DXGKDDI_START_DEVICE",
                      Needs::kRender, [](Rig& /*rig*/) {}};

AdapterPair Alone(const DriverUnderTest& driver, const DriverUnderTest& reference) {
  return {&driver, driver.shows_outputs ? &driver : &reference};
}

}  // namespace

Trial StartTrial(const DriverUnderTest& driver, const DriverUnderTest& reference) {
  return {.rule = &kStart, .pair = Alone(driver, reference)};
}

std::vector<Trial> PlanFor(const DriverUnderTest& driver, const DriverUnderTest& reference) {
  const AdapterPair alone = Alone(driver, reference);
  std::vector<Trial> plan;
  for (const Rule& rule : AllRules()) {
    if (rule.needs == Needs::kDisplay && !driver.shows_outputs) continue;
    if (rule.needs == Needs::kRender && driver.display_only) continue;
    if (rule.needs != Needs::kTwoAdapters) {
      plan.push_back({.rule = &rule, .pair = alone});
      continue;
    }
    if (!driver.display_only) plan.push_back({.rule = &rule, .pair = {&driver, &reference}});
    const bool is_reference = driver.entry == reference.entry && !driver.display_only;
    if (driver.shows_outputs && !is_reference) plan.push_back({.rule = &rule, .pair = {&reference, &driver}});
  }
  return plan;
}

Outcome RunTrial(const Trial& trial) {
  const Refusals refusals;
  Outcome outcome;
  try {
    if (trial.form) {
      outcome = RunThroughShim(trial);
    } else {
      Rig rig(trial.pair, trial.rule->setup, trial.seed);
      outcome = RunRule(*trial.rule, rig);
    }
  } catch (const RuleBroken& broken) {
    outcome = {Verdict::kFail, broken.what(), SeenBy::kKernel};
  }
  const std::string refusal = Refusals::Last();
  if (outcome.verdict == Verdict::kFail && !refusal.empty() && outcome.seen.find(refusal) == std::string::npos) {
    outcome.seen += " The kernel said last: " + refusal;
  }
  return outcome;
}

}  // namespace tandem::conform
