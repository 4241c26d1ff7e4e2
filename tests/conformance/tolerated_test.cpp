// Rules of the NT side: those that Windows lets pass leave the judgement of all others alone.
#include <gtest/gtest.h>

#include "conform/plan.h"
#include "conform/rules.h"
#include "kernel/driver_host.h"
#include "system/conformance_drivers.h"

namespace tandem::conform {
namespace {

const char* reported_rule = nullptr;

// A driver host whose driver breaks a rule as soon as it is attached, and leaves memory behind.
VOID BreakRule(CONST TANDEM_DRIVER_KERNEL* kernel) {
  static CONST TANDEM_DRIVER_KERNEL* attached = nullptr;
  if (kernel != nullptr) {
    kernel->Report(reported_rule, "DpcRoutine is wrong.");
  } else {
    attached->Report("Nt.PoolLeak", "Tag 'Leak': 1 allocation, 100 bytes.");
  }
  attached = kernel;
}

Outcome StartOfDriverThatBreaks(const char* rule) {
  reported_rule = rule;
  DriverUnderTest driver = system::SoftUnderTest();
  driver.host = std::make_shared<kernel::DriverHost>(&BreakRule);
  return RunTrial(StartTrial(driver, driver));
}

TEST(ToleratedRules, EachThatADriverBreaks_IsNamedBesideARuleThatHolds) {
  for (const Rule& rule : ToleratedNtRules()) {
    const Outcome outcome = StartOfDriverThatBreaks(std::string(rule.id).c_str());
    EXPECT_EQ(outcome.verdict, Verdict::kPass) << outcome.seen;
    const std::vector<kernel::Tolerated> one{{std::string(rule.id), "DpcRoutine is wrong."}};
    EXPECT_EQ(outcome.tolerated, one) << rule.id;
  }
}

TEST(ToleratedRules, RuleThatStopsWindows_BreaksTheTrial_WithoutWhatStaysBehind) {
  for (const char* rule : {"Nt.Irql", "Nt.PoolFree", "Nt.SpinLock", "Nt.BreakPoint", "Nt.HandleClosed"}) {
    const Outcome outcome = StartOfDriverThatBreaks(rule);
    EXPECT_EQ(outcome.verdict, Verdict::kFail);
    EXPECT_EQ(outcome.seen, std::string(rule) + ": DpcRoutine is wrong.");
    EXPECT_TRUE(outcome.tolerated.empty());
  }
}

TEST(ToleratedRules, Text_IsKeptOnce) {
  kernel::ReportTolerated("Nt.Port", "Port 1 is read.");
  kernel::ReportTolerated("Nt.Port", "Port 2 is read.");
  kernel::ReportTolerated("Nt.Port", "Port 1 is read.");
  EXPECT_EQ(kernel::TakeTolerated().size(), 2u);
  EXPECT_TRUE(kernel::TakeTolerated().empty());
}

}  // namespace
}  // namespace tandem::conform
