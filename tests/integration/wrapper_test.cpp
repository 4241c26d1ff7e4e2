// `tandem run` with a wrapper such as a shell or a launcher. The wrapped program has its own table in the configuration file.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

class Wrapper : public testing::Test {
 protected:
  // Figures of tandem_paint run by a shell, with `file` as the configuration.
  [[nodiscard]] TandemResult Paint(const std::string& file, const std::vector<std::string>& options) const {
    return Run(file, options, {});
  }
  [[nodiscard]] TandemResult Run(const std::string& file, const std::vector<std::string>& options,
                                 const std::string& display) const {
    std::filesystem::create_directories(home_.File("tandem"));
    std::ofstream(home_.File("tandem/tandem.toml")) << file;
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("XDG_CONFIG_HOME", home_.File(""));
    if (!display.empty()) run.environment.emplace_back("DISPLAY", display);
    run.options = {"--render", "llvmpipe", "--display", "soft", "--output", "headless"};
    run.options.insert(run.options.end(), options.begin(), options.end());
    run.program = {"/bin/sh", "-c", Program("tandem_paint") + (display.empty() ? "" : " --xcb") + " --frames 3; exit $?"};
    return RunTandem(run);
  }

 private:
  ScratchFolder home_;
};

TEST_F(Wrapper, TableOfTheProgramBehindIt_CountsThere) {
  const TandemResult result = Paint("[app.tandem_paint]\npath = \"two-copy\"\n[app.sh]\npath = \"cpu\"\n", {});
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_EQ(result.stats["path"], "two-copy");
}

TEST_F(Wrapper, OptionOfTheCommand_OutweighsThatTable) {
  const TandemResult result = Paint("[app.tandem_paint]\npath = \"two-copy\"\n", {"--path", "one-copy"});
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_EQ(result.stats["path"], "one-copy");
}

TEST_F(Wrapper, ErrorInAnothersTable_IsThatOnesAlone) {
  const TandemResult result = Paint("[app.other]\ncolour = 3\n", {});
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_TRUE(result.stats.is_object()) << result.process.err;
}

TEST_F(Wrapper, ProgramThatIsLeftAlone_RunsWithoutTandem) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const TandemResult result = Run("[app.tandem_paint]\nuse = \"never\"\n", {}, server->display());
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_TRUE(result.stats.is_null()) << result.stats.dump();
  EXPECT_NE(result.process.err.find("tandem.toml:2, [app.\"tandem_paint\"] leaves this program alone (use = \"never\")."),
            std::string::npos)
      << result.process.err;
  // A user's request is no error.
  EXPECT_EQ(result.process.err.find("[error]"), std::string::npos) << result.process.err;
}

// Standard error of `tandem run -- program`.
std::string SaidAbout(const std::vector<std::string>& program, Environment environment) {
  std::vector<std::string> argv{TANDEM_COMMAND, "run", "--render", "llvmpipe", "--display", "soft", "--output", "headless", "--"};
  argv.insert(argv.end(), program.begin(), program.end());
  for (const auto& pair : WithDrivers(VulkanDrivers())) environment.push_back(pair);
  const ProcessResult result = RunProcess(argv, environment, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.err;
}

TEST(Bypass, ProgramWithoutVulkan_IsNamedOnceWithWhatToDo) {
  const std::string said = SaidAbout({"true"}, {});
  EXPECT_EQ(said.rfind("tandem run: 'true' showed no frame through Tandem: no Vulkan program in it", 0), 0U) << said;
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
}

TEST(Bypass, WrapperThatClearsTheEnvironment_IsNamed) {
  const std::string said = SaidAbout({"/usr/bin/env", "-i", Program("tandem_paint"), "--help"}, {});
  EXPECT_NE(said.find("a wrapper has to keep the environment"), std::string::npos) << said;
}

TEST(Bypass, ProgramThatShowsFrames_IsNotNamed) { EXPECT_EQ(SaidAbout({Program("tandem_paint"), "--frames", "2"}, {}), ""); }

}  // namespace
}  // namespace tandem::test
