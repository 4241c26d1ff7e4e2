// Programs that Tandem leaves alone and that were given no driver but libvulkan_tandem.so: they run as they would without it.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class PlainDriver : public testing::Test {
 protected:
  void SetUp() override {
    const std::string manifest =
        std::string(TANDEM_DRIVER).substr(0, std::string(TANDEM_DRIVER).rfind('/')) + "/share/tandem/icd.d/tandem_icd.json";
    std::string below;
    for (const VulkanDriver& driver : VulkanDrivers()) below += (below.empty() ? "" : ":") + driver.manifest;
    environment_ = {{"VK_DRIVER_FILES", manifest}, {"VK_ICD_FILENAMES", manifest},      {"TANDEM_DRIVER_FILES", below},
                    {"NODEVICE_SELECT", "1"},      {"XDG_CONFIG_HOME", home_.File("")}, {"XDG_CACHE_HOME", home_.File("cache")}};
    fs::create_directories(home_.File("tandem"));
  }
  void Never(const std::string& program) const {
    std::ofstream(home_.File("tandem/tandem.toml")) << "[app.\"" << program << "\"]\nuse = \"never\"\n";
  }
  // The program sees one driver's device, calls that driver's functions, and Tandem says nothing.
  void ExpectPlain() const {
    const ProcessResult result = RunProcess({Program("tandem_pointers")}, environment_, 60000);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find("sees "), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("sees "), result.out.rfind("sees ")) << result.out;
    EXPECT_NE(result.out.find("device 0\ngiven 0\n"), std::string::npos) << result.out;
  }

  const ScratchFolder home_;
  Environment environment_;
};

TEST_F(PlainDriver, PolicyNever_ProgramHasTheDriverWithoutTandem) {
  Never("tandem_pointers");
  ExpectPlain();
}

// The program tells its name when it creates an instance, after questions that Tandem answered.
TEST_F(PlainDriver, PolicyNeverByTheProgramsOwnName_ProgramHasTheDriverWithoutTandem) {
  Never("application:Test program");
  ExpectPlain();
}

TEST_F(PlainDriver, Disabled_ProgramHasTheDriverWithoutTandem) {
  environment_.emplace_back("TANDEM_DISABLE", "1");
  ExpectPlain();
}

TEST_F(PlainDriver, PolicyNever_WindowShowsWhatTheDriverPresents) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  Never("tandem_paint");
  environment_.emplace_back("DISPLAY", server->display());
  environment_.emplace_back("TANDEM_STATS", "1");
  const ProcessResult result =
      RunProcess({Program("tandem_paint"), "--xcb", "--frames", "5", "--size", "333x251"}, environment_, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err.find("frames"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("stepped aside"), std::string::npos) << result.err;
}

TEST_F(PlainDriver, TandemRunAsDriver_LeavesTheProgramItsDriver) {
  Never("tandem_pointers");
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("XDG_CONFIG_HOME", home_.File(""));
  run.options = {"--as", "driver", "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_pointers")};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.out.find("given 0\n"), std::string::npos) << result.process.out;
}

// The loader has another driver: ours stays out of its way.
TEST_F(PlainDriver, OtherDriverListedToo_IsTheOnlyOne) {
  Never("tandem_pointers");
  const std::string both = environment_[0].second + ":" + VulkanDrivers().front().manifest;
  environment_.emplace_back("VK_DRIVER_FILES", both);
  environment_.emplace_back("VK_ICD_FILENAMES", both);
  ExpectPlain();
}

// A wrong value is an error, not a request to be left alone.
TEST_F(PlainDriver, WrongSetting_IsSaidAndRefused) {
  environment_.emplace_back("TANDEM_PATH", "straight");
  environment_.emplace_back("TANDEM_STATS", "1");
  const ProcessResult result = RunProcess({Program("tandem_pointers")}, environment_, 60000);
  EXPECT_NE(result.err.find("TANDEM_PATH"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("vkCreateInstance answered -"), std::string::npos) << result.err;
}

TEST_F(PlainDriver, NoOtherDriverOnTheMachine_IsRefused) {
  Never("tandem_pointers");
  environment_.emplace_back("TANDEM_DRIVER_FILES", home_.File("none.json"));
  const ProcessResult result = RunProcess({Program("tandem_pointers")}, environment_, 60000);
  EXPECT_NE(result.err.find("vkCreateInstance answered -"), std::string::npos) << result.err;
  EXPECT_LT(result.exit_code, 128) << result.err;
}

}  // namespace
}  // namespace tandem::test
