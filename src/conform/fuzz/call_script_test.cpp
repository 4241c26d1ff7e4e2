// Scripts as text, and how they are made and shortened.
#include "conform/fuzz/call_script.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conform/fuzz/script_maker.h"
#include "conform/fuzz/shrink.h"

namespace tandem::conform {
namespace {

using testing::HasSubstr;

std::string ErrorOf(std::string_view lines) {
  const auto script = ParseScript("tandem fuzz 1\n" + std::string(lines));
  return script.ok() ? "" : script.error().message;
}

TEST(CallScript, AnyScript_IsReadBackFromItsText) {
  for (const ScriptDevice device : {ScriptDevice::kBus, ScriptDevice::kFramebuffer, ScriptDevice::kVirtioGpu,
                                    ScriptDevice::kVirtioGpuOnLine, ScriptDevice::kQxl}) {
    ScriptMaker maker(device, CallSide::kFull, 7);
    for (int i = 0; i < 50; ++i) {
      const CallScript script = maker.Next();
      const std::vector<std::string> remarks{"a remark"};
      const auto read = ParseScript(ToText(script, remarks));
      ASSERT_TRUE(read.ok()) << read.error().message;
      EXPECT_EQ(*read, script);
      maker.Keep(script);
    }
  }
}

TEST(CallScript, MalformedText_IsRefusedWithItsLine) {
  EXPECT_THAT(ParseScript("tandem").error().message, HasSubstr("Line 1"));
  EXPECT_THAT(ErrorOf("pause\n\nfly width=1\n"), HasSubstr("Line 4: There is no call 'fly'."));
  EXPECT_THAT(ErrorOf("mode width=x\n"), HasSubstr("Line 2: 'width' of 'mode' is not a number: 'x'."));
  EXPECT_THAT(ErrorOf("mode data=00\n"), HasSubstr("'mode' has no field 'data'."));
  EXPECT_THAT(ErrorOf("escape data=0\n"), HasSubstr("hexadecimal"));
  EXPECT_THAT(ErrorOf("mode width=18446744073709551616\n"), HasSubstr("is not a number"));
  EXPECT_THAT(ErrorOf("device-kind floppy\n"), HasSubstr("There is no device 'floppy'."));
  EXPECT_EQ(ErrorOf("# a remark\n\nescape flags=0x1 data=00fF\n"), "");
}

TEST(ScriptMaker, SameSeed_MakesTheSameScripts) {
  ScriptMaker one(ScriptDevice::kBus, CallSide::kFull, 3), two(ScriptDevice::kBus, CallSide::kFull, 3),
      other(ScriptDevice::kBus, CallSide::kFull, 4);
  const CallScript first = one.Next();
  EXPECT_EQ(first, two.Next());
  EXPECT_NE(first, other.Next());
}

TEST(ScriptMaker, DisplayOnlyDriver_GetsNoCallsOfFullOnes) {
  ScriptMaker maker(ScriptDevice::kFramebuffer, CallSide::kDisplayOnly, 1);
  for (int i = 0; i < 50; ++i) {
    CallScript script = maker.Next();
    EXPECT_LE(script.steps.size(), kMostMadeSteps);
    for (const CallStep& step : script.steps) EXPECT_NE(FormOf(step.call).side, CallSide::kFull);
    maker.Keep(std::move(script));
  }
}

TEST(Shrink, OneCallWithOneByte_IsLeftOfALongScript) {
  ScriptMaker maker(ScriptDevice::kBus, CallSide::kFull, 5);
  CallScript script{ScriptDevice::kBus, {}};
  for (int i = 0; i < 10; ++i) {
    const CallScript more = maker.Next();
    script.steps.insert(script.steps.end(), more.steps.begin(), more.steps.end());
  }
  script.steps.insert(script.steps.begin() + 17, {Call::kEscape, {2, 9}, {std::byte{1}, std::byte{77}, std::byte{3}}});
  int tries = 0;
  const auto shows = [&](const CallScript& smaller) {
    ++tries;
    return std::ranges::any_of(smaller.steps, [](const CallStep& step) {
      return step.call == Call::kEscape && step.numbers[1] == 9 && step.data.size() > 1 && step.data[1] == std::byte{77};
    });
  };
  const CallScript shortest = Shrink(script, shows, [] { return true; });
  ASSERT_EQ(shortest.steps.size(), 1U);
  EXPECT_EQ(shortest.steps[0].numbers[0], 0U);
  EXPECT_EQ(shortest.steps[0].numbers[1], 9U);
  EXPECT_EQ(shortest.steps[0].data.size(), 2U);
  EXPECT_LT(tries, 1000);
}

TEST(Shrink, NoMoreTries_TheScriptStaysAsItIs) {
  const CallScript script{ScriptDevice::kBus, {{Call::kPause, {1}, {}}, {Call::kFinish, {2}, {}}}};
  EXPECT_EQ(Shrink(
                script, [](const CallScript&) { return true; }, [] { return false; }),
            script);
}

}  // namespace
}  // namespace tandem::conform
