// Every rule can fail: for each there is a driver that breaks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/sanitizer.h"
#include "conform/plan.h"
#include "system/conformance_drivers.h"
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {

void PrintTo(const BrokenDriver& broken, std::ostream* out) { *out << broken.what << " breaks " << broken.rule; }

namespace {

constexpr unsigned kLimitSeconds = kUnderSanitizer ? 300 : 60;
constexpr std::int64_t kShortPatienceNs = 3'000'000'000;  // a broken driver's pictures may never come
constexpr int kCaught = 10;                               // the child's exit codes
constexpr int kNotCaught = 11;
constexpr int kCaughtForSomethingElse = 12;
constexpr int kCaughtBySomebodyElse = 13;

// Runs the trial in a child process: a broken driver may crash it, and the edit stays there.
int TryInChild(const BrokenDriver& broken) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kLimitSeconds);
    DriverUnderTest driver = Break(system::SoftUnderTest(), broken);
    driver.patience_ns = kShortPatienceNs;
    for (const Trial& trial : PlanFor(driver, driver)) {
      if (trial.rule->id != broken.rule) continue;
      const Outcome outcome = RunTrial(trial);
      std::fprintf(stderr, "%s\n", outcome.seen.c_str());
      if (outcome.verdict != Verdict::kFail) _exit(kNotCaught);
      if (outcome.seen.find(broken.seen) == std::string::npos) _exit(kCaughtForSomethingElse);
      _exit(outcome.by == broken.by ? kCaught : kCaughtBySomebodyElse);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class Broken : public testing::TestWithParam<BrokenDriver> {};

TEST_P(Broken, Driver_IsCaughtByItsRule) { EXPECT_EQ(TryInChild(GetParam()), kCaught); }

INSTANTIATE_TEST_SUITE_P(Rules, Broken, testing::ValuesIn(BrokenDrivers()), [](const auto& broken) {
  std::string name = broken.param.rule + "_" + broken.param.what;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

// Driver_IsCaughtByItsRule checks that the table names the right detector of each fault.
TEST(BrokenDriversTest, EveryRule_HasADriverThatItsOwnBodySees) {
  for (const Rule& rule : AllRules()) {
    const bool broken = std::any_of(BrokenDrivers().begin(), BrokenDrivers().end(), [&](const BrokenDriver& driver) {
      return driver.rule == rule.id && driver.by == SeenBy::kBody;
    });
    EXPECT_TRUE(broken) << rule.id << ": its body is seen to fail with no driver.";
  }
}

TEST(BrokenDriversTest, Rules_AreEightyFiveAtLeast) { EXPECT_GE(AllRules().size(), 85u); }

}  // namespace
}  // namespace tandem::conform
