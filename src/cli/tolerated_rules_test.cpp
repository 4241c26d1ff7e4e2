#include "cli/tolerated_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "conform/rules.h"
#include "kernel/tolerated.h"

namespace tandem::cli {
namespace {

using conform::Verdict;

class ToleratedRulesTest : public testing::Test {
 protected:
  ToleratedRulesTest() { driver_.name = "brush"; }
  // A trial of the rule `id`, and what it saw of other rules.
  void Note(std::string_view id, Verdict verdict, std::vector<kernel::Tolerated> tolerated) {
    TrialResult result;
    result.trial = {.rule = &*std::ranges::find(conform::AllRules(), id, &conform::Rule::id), .pair = {&driver_, &driver_}};
    result.outcome.verdict = verdict;
    result.outcome.tolerated = std::move(tolerated);
    rules_.Note(result);
  }

  conform::DriverUnderTest driver_;
  ToleratedRules rules_;
};

TEST_F(ToleratedRulesTest, RuleThatSeveralTrialsSaw_IsBrokenOnce_WithEachSentence) {
  Note("LifeCycle.Restart", Verdict::kPass, {{"Nt.PagedCode", "Lock runs at DISPATCH_LEVEL."}});
  Note("LifeCycle.AnyOrder", Verdict::kFail,
       {{"Nt.PagedCode", "Lock runs at DISPATCH_LEVEL."}, {"Nt.PagedCode", "Free runs at DISPATCH_LEVEL."}});
  Note("Flip.Order", Verdict::kPass, {{"Nt.Port", "Port 1 is read."}});
  const std::vector<TrialResult> broken = rules_.Broken(driver_);
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_EQ(broken[0].trial.name(), "Nt.PagedCode on brush");
  EXPECT_EQ(broken[0].driver, "brush");
  EXPECT_EQ(broken[0].outcome.verdict, Verdict::kFail);
  EXPECT_EQ(broken[0].outcome.seen,
            "Lock runs at DISPATCH_LEVEL. Free runs at DISPATCH_LEVEL. LifeCycle.Restart on brush saw it first.");
  EXPECT_EQ(broken[1].trial.name(), "Nt.Port on brush");
}

TEST_F(ToleratedRulesTest, RuleWithATrialOfItsOwn_IsNotBrokenTwice) {
  Note("LifeCycle.Restart", Verdict::kPass, {{"Interrupt.Message", "Message 3 came."}});
  EXPECT_EQ(rules_.Broken(driver_).size(), 1u);
  Note("Interrupt.Message", Verdict::kFail, {});
  EXPECT_TRUE(rules_.Broken(driver_).empty());
}

TEST_F(ToleratedRulesTest, NothingSeen_NothingBroken) {
  Note("LifeCycle.Restart", Verdict::kPass, {});
  EXPECT_TRUE(rules_.Broken(driver_).empty());
}

}  // namespace
}  // namespace tandem::cli
