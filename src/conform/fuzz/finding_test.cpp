// When two findings are one.
#include "conform/fuzz/finding.h"

#include <memory>

#include <gtest/gtest.h>

namespace tandem::conform {
namespace {

class FindingTest : public testing::Test {
 protected:
  std::vector<Finding> Of(const std::string& seen) const { return FindingsOf({{Verdict::kFail, seen}, {}}, *notes_); }
  std::unique_ptr<RunNotes> notes_ = std::make_unique<RunNotes>();
};

TEST_F(FindingTest, BrokenRules_AreNamedAndDifferByTheirStackAlone) {
  notes_->told = 1;
  const auto one =
      Of("Nt.PoolLeak: Tag 'ab1c': 3 allocations, 48 bytes in all; the first at d.so+0x12a < d.so+0x99.\n"
         "Driver d, adapter d: DdiReturns: DxgkDdiPresent has not returned for 5000 ms, the limit (TdrDdiDelay).");
  ASSERT_EQ(one.size(), 2U);
  EXPECT_EQ(one[0].name, "Nt.PoolLeak");
  EXPECT_EQ(one[1].name, "DdiReturns");
  EXPECT_EQ(one[0].stack, (std::vector<std::uint64_t>{0x129, 0x98}));
  const auto other = Of("Nt.PoolLeak: Tag 'ab1c': 17 allocations, 272 bytes in all; the first at d.so+0x12a < d.so+0x99.");
  const auto elsewhere = Of("Nt.PoolLeak: Tag 'ab1c': 3 allocations, 48 bytes in all; the first at d.so+0x12b < d.so+0x99.");
  EXPECT_EQ(one[0].identity, other[0].identity);
  EXPECT_NE(one[0].identity, elsewhere[0].identity);
}

TEST_F(FindingTest, Crashes_AreOneByTheirInnermostFrames) {
  notes_->stack.begin = 0x1000;
  notes_->stack.end = 0x9000;
  notes_->stack.frames = {0x1101, 0x1201, 0x1301, 0x1401};
  notes_->stack.count = 4;
  const auto first = Of("The driver crashed in DxgkDdiEscape: Segmentation fault.");
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].name, "Crash");
  EXPECT_EQ(first[0].stack[0], 0x100U);
  notes_->stack.frames[3] = 0x1501;
  EXPECT_EQ(Of("The driver crashed in DxgkDdiEscape: Bus error.")[0].identity, first[0].identity);
  notes_->stack.frames[0] = 0x1501;
  EXPECT_NE(Of("The driver crashed in DxgkDdiEscape: Segmentation fault.")[0].identity, first[0].identity);
}

TEST_F(FindingTest, Hangs_AreOneByTheirFunction) {
  notes_->stack.end = 0x9000;
  notes_->stack.frames = {0x1101};
  notes_->stack.count = 1;
  const auto first = Of("The driver hangs in DxgkDdiPresent: the rule did not end within 10000 ms.");
  notes_->stack.frames = {0x1105};
  const auto second = Of("The driver hangs in DxgkDdiPresent: the rule did not end within 1000 ms.");
  EXPECT_EQ(first[0].name, "Hang");
  EXPECT_EQ(first[0].identity, second[0].identity);
}

TEST_F(FindingTest, RunThatPassed_HasNone) { EXPECT_TRUE(FindingsOf({}, *notes_).empty()); }

}  // namespace
}  // namespace tandem::conform
