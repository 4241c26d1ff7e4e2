// Parts of a batch, by the steps that were played.
#include "conform/fuzz/script_batch.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace tandem::conform {
namespace {

CallScript Of(std::vector<CallStep> steps) { return {ScriptDevice::kBus, std::move(steps)}; }

const CallStep kOpenFirst{Call::kDevice, {0}, {}};
const CallStep kOpenSecond{Call::kDevice, {1}, {}};
const CallStep kPreempt{Call::kPreempt, {}, {}};

TEST(ScriptBatch, EachPart_EndsByClosingItsDevices) {
  ScriptBatch batch(ScriptDevice::kBus);
  batch.Add(Of({kOpenFirst, kOpenSecond, kOpenFirst}));
  batch.Add(Of({kPreempt}));
  const CallScript expected =
      Of({kOpenFirst, kOpenSecond, kOpenFirst, {Call::kCloseDevice, {0}, {}}, {Call::kCloseDevice, {1}, {}}, kPreempt});
  EXPECT_EQ(batch.script(), expected);
}

TEST(ScriptBatch, Part_IsFoundByItsStep) {
  ScriptBatch batch(ScriptDevice::kBus);
  batch.Add(Of({kOpenFirst, kPreempt}));  // three steps with its end
  batch.Add(Of({kPreempt, kOpenSecond}));
  EXPECT_EQ(batch.PartUntil(1), Of({kOpenFirst, kPreempt}));
  EXPECT_EQ(batch.PartUntil(3), Of({kPreempt}));
  EXPECT_EQ(batch.PartUntil(4), Of({kPreempt, kOpenSecond}));
  EXPECT_EQ(batch.PartsBegun(0), 0U);
  EXPECT_EQ(batch.PartsBegun(3), 1U);
  EXPECT_EQ(batch.PartsBegun(4), 2U);
}

TEST(ScriptBatch, LongScripts_StayWithinTheMost) {
  const CallScript longest = Of(std::vector<CallStep>(kMostSteps, kPreempt));
  ScriptBatch batch(ScriptDevice::kBus);
  while (batch.HasRoom()) batch.Add(longest);
  EXPECT_LE(batch.script().steps.size(), kMostSteps);
  EXPECT_TRUE(ParseScript(ToText(batch.script(), {})).ok());
}

}  // namespace
}  // namespace tandem::conform
