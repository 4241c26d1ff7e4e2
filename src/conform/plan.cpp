#include "conform/plan.h"

#include <algorithm>
#include <utility>

#include "conform/fail_each.h"
#include "conform/refusals.h"
#include "conform/rig.h"
#include "conform/sentences.h"
#include "conform/through_shim.h"
#include "kernel/service_faults.h"
#include "kernel/tolerated.h"

namespace tandem::conform {

std::string Trial::name() const {
  const std::string id =
      failed_service == 0 ? std::string(rule->id) : fmt::format("{} (call {}, {})", rule->id, failed_service, failed_name);
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

namespace {

std::string LeftBehind(const AdapterPair& pair) {
  std::string left;
  for (const DriverUnderTest* driver : {pair.render, pair.display}) {
    if (driver->host == nullptr) continue;
    AppendSentence(left, driver->host->Detach());
  }
  return left;
}

void Break(Outcome& outcome, const std::string& seen) {
  AppendSentence(outcome.seen, seen);
  outcome.verdict = Verdict::kFail;
  outcome.by = SeenBy::kBody;
}

// Reports of other rules than the trial's own stay apart.
void JudgeTolerated(std::string_view own, Outcome& outcome) {
  for (kernel::Tolerated& report : kernel::TakeTolerated()) {
    if (report.rule == own) {
      Break(outcome, report.seen);
    } else {
      outcome.tolerated.push_back(std::move(report));
    }
  }
}

}  // namespace

Outcome RunTrial(const Trial& trial) {
  kernel::FailService(trial.failed_service);
  const Refusals refusals;
  Outcome outcome;
  std::string broken;
  try {
    if (trial.form) {
      outcome = RunThroughShim(trial);
    } else {
      Rig rig(trial.pair, trial.rule->setup, trial.seed);
      outcome = RunRule(*trial.rule, rig);
      if (trial.failed_service != 0) broken = rig.Violations();
    }
  } catch (const RuleBroken& error) {
    outcome = {Verdict::kFail, error.what(), SeenBy::kKernel};
  }
  const std::string refusal = Refusals::Last();  // before what is left behind is reported
  std::string left = LeftBehind(trial.pair);
  if (left == trial.known_left) left.clear();
  if (trial.failed_service != 0) outcome = JudgeFailedService(outcome, broken + left);
  JudgeTolerated(trial.rule->id, outcome);
  if (trial.failed_service != 0) return outcome;
  if (!left.empty() && trial.rule->setup.unloads) Break(outcome, left);
  outcome.left = std::move(left);
  if (outcome.verdict == Verdict::kFail && !refusal.empty() && outcome.seen.find(refusal) == std::string::npos) {
    outcome.seen += " The kernel said last: " + refusal;
  }
  return outcome;
}

}  // namespace tandem::conform
