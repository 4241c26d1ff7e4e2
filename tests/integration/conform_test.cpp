// `tandem conform` on drivers of this tree and of others.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/integration/conform_report.h"
#include "tests/integration/screen_picture.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr int kRuleBroken = 1;
constexpr int kCannot = 125;

ProcessResult Conform(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{TANDEM_COMMAND, "conform"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunProcess(argv, WithDrivers(VulkanDrivers()), 600'000);
}

std::string Module(const std::string& name) { return std::string(TANDEM_MODULES) + "/" + name + ".so"; }

nlohmann::json Report(const ProcessResult& result) {
  auto report = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_TRUE(report.is_object()) << result.out << result.err;
  return report;
}

// Verdicts by rule, whichever side of a pair the driver was.
std::map<std::string, std::set<std::string>> Verdicts(const nlohmann::json& report) {
  std::map<std::string, std::set<std::string>> verdicts;
  for (const auto& trial : report["trials"]) verdicts[trial["rule"]].insert(trial["verdict"].get<std::string>());
  return verdicts;
}

TEST(Conform, SoftDriver_HoldsEveryRuleInTheHouseAndAsAStrangers) {
  const ProcessResult house = Conform({"--adapter", "soft", "--json"});
  const auto report = Report(house);
  EXPECT_EQ(house.exit_code, 0) << FailedTrials(report);
  EXPECT_GT(report["passed"].get<int>(), 10);
  EXPECT_EQ(report["failed"], 0);
  const ProcessResult strange = Conform({"--driver", Module("soft"), "--json"});
  EXPECT_EQ(strange.exit_code, 0) << FailedTrials(Report(strange));
  auto expected = Verdicts(report);
  // Only the house's own device has a cable that a rule can pull.
  for (const char* rule : {"HotPlug.ComesBack", "HotPlug.Indicated"}) {
    EXPECT_EQ(expected.at(rule), std::set<std::string>{"pass"}) << rule;
    expected[rule] = {"not applicable"};
  }
  EXPECT_EQ(Verdicts(Report(strange)), expected);
}

TEST(Conform, DriverOfTheDirect3D9Class_IsTranslated) {
  const ProcessResult result = Conform({"--driver", Module("class9"), "--filter", "CrossAdapter.*", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto verdicts = Verdicts(Report(result));
  for (const char* rule :
       {"CrossAdapter.Primary", "CrossAdapter.PrimaryFlip", "CrossAdapter.UserModeTier", "CrossAdapter.Texture"})
    EXPECT_EQ(verdicts.at(rule), std::set<std::string>{"pass"}) << rule;
}

TEST(Conform, ThroughTheShim_EachFormIsTried) {
  const ProcessResult result = Conform({"--adapter", "soft", "--through-shim", "--filter", "Shim.*", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto report = Report(result);
  EXPECT_EQ(report["passed"], 12) << result.out;
  for (const char* form : {"(shim: library)", "(shim: inside)", "(shim: hidden)"})
    EXPECT_NE(result.out.find(form), std::string::npos) << form;
}

// A driver for two adapters of one vendor has the shim inside, and opens it when it is asked to.
TEST(Conform, DriverWithAShimInside_IsBothDrivers) {
  const ProcessResult result =
      Conform({"--driver", Module("shim_inside"), "--through-shim", "--filter", "*shim: inside*", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto verdicts = Verdicts(Report(result));
  for (const char* rule : {"CrossAdapter.Primary", "Shim.Frames", "Shim.SharedFrames"}) {
    EXPECT_EQ(verdicts.at(rule), std::set<std::string>{"pass"}) << rule << "\n" << result.out;
  }
  // Nobody asks: the driver is the one that it is without a shim.
  const ProcessResult alone = Conform({"--driver", Module("shim_inside"), "--filter", "CrossAdapter.Primary", "--json"});
  EXPECT_EQ(alone.exit_code, 0) << alone.out << alone.err;
}

// One runtime, a render driver of the Direct3D 10 class, a display driver of the Direct3D 9 class.
TEST(Conform, DisplayDriverOfTheDirect3D9Class_ShowsFramesThroughTheShim) {
  const ProcessResult result = Conform({"--driver", Module("class9"), "--through-shim", "--filter", "Shim.Frames", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(Report(result)["passed"], 4) << result.out;
}

TEST(Conform, DriverThatCrashes_FailsTheRuleAndNoOther) {
  const ProcessResult result = Conform({"--driver", Module("crashes"), "--json"});
  EXPECT_EQ(result.exit_code, kRuleBroken);
  const auto verdicts = Verdicts(Report(result));
  EXPECT_EQ(verdicts.at("Present.Blt.SubRects"), std::set<std::string>{"fail"});
  EXPECT_EQ(verdicts.at("Feature.Query"), std::set<std::string>{"pass"});
  EXPECT_NE(result.out.find("The driver crashed in DxgkDdiPresent: Aborted."), std::string::npos) << result.out;
}

TEST(Conform, DriverThatAsksBeforeInitialization_IsLoadedAndUnloaded) {
  const ProcessResult result = Conform({"--driver", Module("asks_early"), "--filter", "Feature.Query", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(Verdicts(Report(result)).at("Feature.Query"), std::set<std::string>{"pass"});
}

TEST(Conform, DriverWithoutContexts_CopiesAndFlips) {
  const ProcessResult result = Conform({"--driver", Module("no_contexts"), "--filter", "Present.*", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(Verdicts(Report(result)).at("Present.Blt.SubRects"), std::set<std::string>{"pass"});
}

TEST(Conform, DriverThatHangs_IsEndedAfterTheLimit) {
  const ProcessResult result = Conform({"--driver", Module("hangs"), "--filter", "Present.ColorFill", "--limit", "2", "--json"});
  EXPECT_EQ(result.exit_code, kRuleBroken);
  EXPECT_NE(result.out.find("The driver hangs in DxgkDdiPresent"), std::string::npos) << result.out;
}

TEST(Conform, DriverThatCrashesWhenItIsLoaded_IsSaid) {
  const ProcessResult result = Conform({"--driver", Module("crashes_at_load")});
  EXPECT_EQ(result.exit_code, kCannot);
  EXPECT_NE(result.err.find("The driver crashed: Aborted."), std::string::npos) << result.err;
}

TEST(Conform, Filter_ThatFitsNothing_IsSaid) {
  const ProcessResult result = Conform({"--adapter", "soft", "--filter", "No.Such.*"});
  EXPECT_EQ(result.exit_code, kCannot);
  EXPECT_NE(result.err.find("No.Such.*"), std::string::npos) << result.err;
}

TEST(Conform, FileThatIsNoDriver_IsSaid) {
  const ProcessResult result = Conform({"--driver", TANDEM_LAYER});
  EXPECT_EQ(result.exit_code, kCannot);
  EXPECT_NE(result.err.find("DriverEntry"), std::string::npos) << result.err;
}

// The rules whose pictures a card's writeback shows, in scripts/vm.sh. The engines' rules are the soft adapter's, whose code they
// share.
class KmsConform : public testing::TestWithParam<const char*> {};

TEST_P(KmsConform, Vkms_BreaksNoRule) {
  if (!CardOf("vkms")) GTEST_SKIP() << "The machine has no card with the driver vkms; scripts/vm.sh has one.";
  // An emulated machine whose processors others use takes many times as long.
  const ProcessResult result =
      RunProcess({TANDEM_COMMAND, "conform", "--adapter", "kms:vkms", "--filter", GetParam(), "--limit", "240", "--json"},
                 WithDrivers({}), 280'000);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto report = Report(result);
  EXPECT_GT(report["passed"].get<int>(), 0);
  EXPECT_EQ(report["failed"], 0);
}
INSTANTIATE_TEST_SUITE_P(Rules, KmsConform,
                         testing::Values("Flip.*", "Screen.*", "CrossAdapter.*", "Overlay.*", "HotPlug.*", "Pointer.*"),
                         [](const auto& tested) {
                           const std::string pattern = tested.param;
                           return pattern.substr(0, pattern.find('.'));
                         });

}  // namespace
}  // namespace tandem::test
