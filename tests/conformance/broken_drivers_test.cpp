// Every rule can fail: for each there is a driver that breaks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

#include "compose/conformance_drivers.h"
#include "conform/plan.h"
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {

void PrintTo(const BrokenDriver& broken, std::ostream* out) { *out << broken.what << " breaks " << broken.rule; }

namespace {

constexpr unsigned kLimitSeconds = 60;
constexpr int kCaught = 10;  // exit codes of the child
constexpr int kNotCaught = 11;
constexpr int kCaughtForSomethingElse = 12;

// The trial in a process of its own: a broken driver may take it along, and the edit stays there.
int TryInChild(const BrokenDriver& broken) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kLimitSeconds);
    const DriverUnderTest driver = Break(compose::SoftUnderTest(), broken);
    for (const Trial& trial : PlanFor(driver, driver)) {
      if (trial.rule->id != broken.rule) continue;
      const Outcome outcome = RunTrial(trial);
      std::fprintf(stderr, "%s\n", outcome.seen.c_str());
      if (outcome.verdict != Verdict::kFail) _exit(kNotCaught);
      _exit(outcome.seen.find(broken.seen) != std::string::npos ? kCaught : kCaughtForSomethingElse);
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

TEST(BrokenDriversTest, EveryRule_IsBrokenByOne) {
  for (const Rule& rule : AllRules()) {
    const bool broken = std::any_of(BrokenDrivers().begin(), BrokenDrivers().end(),
                                    [&](const BrokenDriver& driver) { return driver.rule == rule.id; });
    EXPECT_TRUE(broken) << rule.id << " is broken by no driver.";
  }
}

}  // namespace
}  // namespace tandem::conform
