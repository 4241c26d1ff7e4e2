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
