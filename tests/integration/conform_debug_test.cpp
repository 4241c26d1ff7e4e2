// `tandem conform` for a driver's developer: its output, sanitizers, a single rule.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr int kRuleBroken = 1;
constexpr int kCannot = 125;

std::string Module(const std::string& name) { return std::string(TANDEM_MODULES) + "/" + name + ".so"; }

ProcessResult Conform(const std::string& module, const std::vector<std::string>& arguments, Environment environment) {
  std::vector<std::string> argv{TANDEM_COMMAND, "conform", "--driver", Module(module)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  for (const auto& variable : WithDrivers(VulkanDrivers())) environment.push_back(variable);
  return RunProcess(argv, environment, 600'000);
}

ProcessResult Conform(const std::string& module, const std::vector<std::string>& arguments) {
  return Conform(module, arguments, {});
}

nlohmann::json OnlyTrial(const ProcessResult& result) {
  const auto report = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_TRUE(report.is_object()) << result.out << result.err;
  if (!report.is_object() || report["trials"].size() != 1) return nlohmann::json::object();
  return report["trials"][0];
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ConformPrinted, LastWordsOfACrash_StandInTheReport) {
  const auto trial = OnlyTrial(Conform("crashes", {"--filter", "Present.ColorFill", "--json"}));
  EXPECT_TRUE(Has(trial.value("seen", ""), "Printed:\nThe last words of the driver.\n")) << trial;
  EXPECT_TRUE(Has(Conform("crashes", {"--filter", "Present.ColorFill"}).out, "| The last words of the driver."));
}

TEST(ConformPrinted, EqualFailures_ArePrintedOnceAndGrouped) {
  const ProcessResult result = Conform("crashes", {"--filter", "Present.Blt.S*"});
  EXPECT_EQ(result.exit_code, kRuleBroken);
  EXPECT_EQ(Count(result.out, "| The last words of the driver."), 1u) << result.out;
  EXPECT_TRUE(Has(result.out, "trials see the same\n        seen    The driver crashed in DxgkDdiPresent: Aborted."))
      << result.out;
}

TEST(ConformPrinted, Verbose_HasEverythingOfEachTrial) {
  const auto trial = OnlyTrial(Conform("overflows", {"--filter", "Present.ColorFill", "--json", "--verbose"}));
  EXPECT_TRUE(Has(trial.value("printed", ""), "The driver is about to write too far.\n")) << trial;
  EXPECT_TRUE(Has(trial.value("printed", ""), "Shadow bytes around the buggy address")) << trial;
}

TEST(ConformSanitizer, HeapOverflow_IsNamedWithItsPlace_WithoutLdPreload) {
  const auto trial = OnlyTrial(Conform("overflows", {"--filter", "Present.ColorFill", "--json"}, {{"LD_PRELOAD", ""}}));
  EXPECT_EQ(trial.value("verdict", ""), "fail") << trial;
  const std::string seen = trial.value("seen", "");
  EXPECT_TRUE(Has(seen, "DxgkDdiPresent: AddressSanitizer: heap-buffer-overflow")) << seen;
  EXPECT_TRUE(Has(seen, "overflows.cpp")) << seen;
  EXPECT_TRUE(Has(seen, "WRITE of size 1")) << seen;
}

// The sanitizer's handler reports address and stack; Tandem's reports the DDI.
TEST(ConformSanitizer, NullPointer_IsReportedByTheSanitizersHandler) {
  const auto trial = OnlyTrial(Conform("overflows", {"--filter", "Hostile.Escape", "--json"}));
  const std::string seen = trial.value("seen", "");
  EXPECT_TRUE(Has(seen, "DxgkDdiEscape: AddressSanitizer: SEGV")) << seen;
  EXPECT_TRUE(Has(seen, "overflows.cpp")) << seen;
}

TEST(ConformSanitizer, RuleThatNeverComesThere_Holds) {
  EXPECT_EQ(OnlyTrial(Conform("overflows", {"--filter", "Feature.Query", "--json"})).value("verdict", ""), "pass");
}

TEST(ConformSanitizer, UndefinedBehaviourThatGoesOn_BreaksTheRule) {
  const auto trial = OnlyTrial(Conform("undefined", {"--filter", "Present.ColorFill", "--json"}));
  EXPECT_EQ(trial.value("verdict", ""), "fail") << trial;
  EXPECT_TRUE(Has(trial.value("seen", ""), "signed integer overflow")) << trial;
}

TEST(ConformStart, DriverThatDoesNotStart_IsOneFailure) {
  const ProcessResult result = Conform("does_not_start", {"--json"});
  EXPECT_EQ(result.exit_code, kRuleBroken);
  const auto trial = OnlyTrial(result);
  EXPECT_EQ(trial.value("rule", ""), "Driver.Start") << result.out;
  EXPECT_TRUE(Has(trial.value("seen", ""), "There is no such device on this bus.")) << trial;
}

TEST(ConformRefusal, LastOneOfTheKernel_StandsInTheReport) {
  const auto trial = OnlyTrial(Conform("invisible", {"--filter", "Present.ColorFill", "--json"}));
  const std::string seen = trial.value("seen", "");
  EXPECT_TRUE(Has(seen, "answered STATUS_INVALID_PARAMETER (0xC000000D)")) << seen;
  EXPECT_TRUE(Has(seen, "The kernel said last: An allocation is refused: CrossAdapterAllocation.CpuVisible: Flags ")) << seen;
}

TEST(ConformTrace, Calls_HaveIrqlArgumentsAndStatus) {
  const ProcessResult result = Conform("soft", {"--debug", "Present.ColorFill", "--trace"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(Has(result.err, "render  PASSIVE_LEVEL  DxgkDdiPresent(")) << result.err;
  EXPECT_TRUE(Has(result.err, "Flags ColorFill")) << result.err;
  EXPECT_TRUE(Has(result.err, "= STATUS_SUCCESS (0x00000000)")) << result.err;
  EXPECT_TRUE(Has(result.err, "DIRQL          DxgkDdiInterruptRoutine()")) << result.err;
  EXPECT_EQ(Conform("soft", {"--debug", "Present.ColorFill"}).err, "");
}

TEST(ConformTrace, CallThatCrashes_IsTheLastOfTheReport) {
  const auto trial = OnlyTrial(Conform("crashes", {"--filter", "Present.ColorFill", "--trace", "--json"}));
  EXPECT_TRUE(Has(trial.value("seen", ""), "DxgkDdiPresent(")) << trial;
}

TEST(ConformDebug, Rule_RunsHereWithItsOutputAndAVerdict) {
  const ProcessResult holds = Conform("soft", {"--debug", "Present.ColorFill"});
  EXPECT_EQ(holds.exit_code, 0) << holds.err;
  EXPECT_TRUE(Has(holds.out, "pass  Present.ColorFill on your_soft\n")) << holds.out;
  const ProcessResult broken = Conform("does_not_start", {"--debug", "Present.ColorFill"});
  EXPECT_EQ(broken.exit_code, kRuleBroken);
  EXPECT_EQ(broken.err, "There is no such device on this bus.\n");
  EXPECT_TRUE(Has(broken.out, "FAIL  Present.ColorFill on does_not_start\n")) << broken.out;
}

TEST(ConformDebug, Crash_IsTheProcesssOwn) {
  const ProcessResult result = Conform("crashes", {"--debug", "Present.ColorFill"});
  EXPECT_EQ(result.exit_code, 128 + SIGABRT);
}

TEST(ConformDebug, SanitizedDriver_BeginsAgainWithTheRuntime) {
  const ProcessResult result = Conform("overflows", {"--debug", "Present.ColorFill"}, {{"LD_PRELOAD", ""}});
  EXPECT_TRUE(Has(result.err, "ERROR: AddressSanitizer: heap-buffer-overflow")) << result.err;
  EXPECT_TRUE(Has(result.out, "The driver is about to write too far.")) << result.out;
}

TEST(ConformDebug, RuleOfTwoSides_IsAskedFor) {
  const ProcessResult result = Conform("soft", {"--debug", "CrossAdapter.OneCopy"});
  EXPECT_EQ(result.exit_code, kCannot);
  EXPECT_TRUE(Has(result.err, "'CrossAdapter.OneCopy on your_soft to soft'")) << result.err;
  EXPECT_EQ(Conform("soft", {"--debug", "CrossAdapter.OneCopy on your_soft to soft"}).exit_code, 0);
}

TEST(ConformPlan, ListAsJson_NamesEveryRuleAndTriesNone) {
  const auto list = nlohmann::json::parse(Conform("crashes", {"--list", "--json"}).out, nullptr, false);
  ASSERT_TRUE(list.is_object());
  EXPECT_GT(list["trials"].size(), 50u);
  for (const char* const key : {"trial", "rule", "sentence", "source", "decides", "render", "display"}) {
    EXPECT_TRUE(list["trials"][0].contains(key)) << key;
  }
}

TEST(ConformPlan, Repeat_TakesTheNextSeed) {
  const ProcessResult result = Conform("soft", {"--filter", "Hostile.Escape", "--repeat", "3", "--seed", "5", "--json"});
  const auto report = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << result.err;
  std::vector<int> seeds;
  for (const auto& trial : report["trials"]) seeds.push_back(trial["seed"]);
  EXPECT_EQ(seeds, (std::vector<int>{5, 6, 7}));
  EXPECT_TRUE(Has(Conform("soft", {"--filter", "Hostile.Escape", "--seed", "5"}).out, "seed 5"));
}

TEST(ConformPlan, Jobs_KeepTheOrderOfThePlan) {
  const auto one = nlohmann::json::parse(Conform("soft", {"--filter", "Present.*", "--json"}).out, nullptr, false);
  const auto four =
      nlohmann::json::parse(Conform("soft", {"--filter", "Present.*", "--jobs", "4", "--json"}).out, nullptr, false);
  ASSERT_EQ(one["trials"].size(), four["trials"].size());
  for (std::size_t i = 0; i < one["trials"].size(); ++i) EXPECT_EQ(one["trials"][i]["rule"], four["trials"][i]["rule"]);
  EXPECT_EQ(one["passed"], four["passed"]);
}

// The rule for the feature does not apply if the feature is switched off.
TEST(ConformOverrides, FeaturesOfTheUser_ReachAStrangersDriver) {
  const ScratchFolder folder;
  ASSERT_EQ(std::system(("mkdir -p " + folder.File("tandem")).c_str()), 0);
  const auto verdict = [&](const std::string& text) {
    std::ofstream(folder.File("tandem/features.toml")) << text;
    const ProcessResult result =
        RunProcess({TANDEM_COMMAND, "conform", "--driver", Module("soft"), "--filter", "BackingStore.SameBytes", "--json"},
                   {{"XDG_CONFIG_HOME", folder.File("")}}, 120000);
    return OnlyTrial(result).value("verdict", "") + result.err;
  };
  EXPECT_EQ(verdict(""), "pass");
  EXPECT_EQ(verdict("[adapter.\"another\".SHARE_BACKING_STORE_WITH_KMD]\nenabled = false\n"), "pass");
  EXPECT_NE(verdict("[all.SHARE_BACKING_STORE_WITH_KMD]\nenabled = false\n"), "pass");
  EXPECT_NE(verdict("[adapter.\"soft.so\".SHARE_BACKING_STORE_WITH_KMD]\nenabled = false\n"), "pass");
}

}  // namespace
}  // namespace tandem::test
