// The subcommands beside `run`, as a person or a script calls them.
#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

ProcessResult Tandem(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{TANDEM_COMMAND};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunProcess(argv, WithDrivers(VulkanDrivers()), 120000);
}

TEST(Conform, SoftAdapter_EveryRuleHolds) {
  const ProcessResult result = Tandem({"conform", "--adapter", "soft", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  const auto report = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << result.out;
  EXPECT_GT(report["passed"].get<int>(), 10);
  EXPECT_EQ(report["failed"], 0);
}

TEST(Conform, Filter_ThatFitsNothing_IsSaid) {
  const ProcessResult result = Tandem({"conform", "--adapter", "soft", "--filter", "No.Such.*"});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("No.Such.*"), std::string::npos) << result.err;
}

TEST(Conform, FileThatIsNoDriver_IsSaid) {
  const ProcessResult result = Tandem({"conform", "--driver", TANDEM_LAYER});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("DriverEntry"), std::string::npos) << result.err;
}

TEST(Features, List_NamesThoseOfTheContract) {
  const ProcessResult result = Tandem({"features", "list"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("SHARE_BACKING_STORE_WITH_KMD"), std::string::npos) << result.out;
}

TEST(Adapters, Json_IsOne) {
  const ProcessResult result = Tandem({"adapters", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(result.out, nullptr, false).is_object()) << result.out;
}

}  // namespace
}  // namespace tandem::test
