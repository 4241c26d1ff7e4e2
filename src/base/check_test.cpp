#include "base/check.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Check, ConditionHolds_EvaluatesOnce) {
  int evaluated = 0;
  TANDEM_CHECK(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, ConditionFails_NamesConditionAndPlace) {
  EXPECT_DEATH(TANDEM_CHECK(1 + 1 == 3), "check_test\\.cpp:[0-9]+: check failed: 1 \\+ 1 == 3");
}

TEST(CheckDeathTest, AssertFails_EndsProcessOnlyWhereAssertionsAreOn) {
  const bool condition = false;
  EXPECT_DEBUG_DEATH(TANDEM_ASSERT(condition), "check failed: condition");
}

}  // namespace
}  // namespace tandem
