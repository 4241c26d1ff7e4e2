// Misbehaving programs, windows, servers and users: a clear error, no hang, no crash, no noise.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

TandemRun Misbehave(const std::string& mode) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", "llvmpipe", "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_misbehave"), mode};
  run.limit_ms = 60000;
  return run;
}

class BadProgram : public testing::TestWithParam<std::string> {};

TEST_P(BadProgram, DoesNotPlayByTheBook_EndsWithoutHangOrNoise) {
  const TandemResult result = RunTandem(Misbehave(GetParam()));
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.process.err, "");
}

INSTANTIATE_TEST_SUITE_P(Faults, BadProgram, testing::Values("never-acquire", "never-present", "exit", "fork"));

TEST(ProgramDies, InTheMiddle_ItsSignalIsPassedOn) {
  const TandemResult result = RunTandem(Misbehave("die"));
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 128 + SIGABRT);
}

// Starts a program in an environment that refuses shared pages.
struct Refusal {
  const char* name;
  std::vector<std::string> wrapper;
  const char* reason;  // in the log
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class SharedPagesRefused : public testing::TestWithParam<Refusal> {
 protected:
  TandemRun Paint() const {
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("TANDEM_LOG", "warn");
    run.options = {"--render", "llvmpipe", "--display", "soft"};
    run.program = GetParam().wrapper;
    for (const char* word : {"--frames", "10", "--size", "320x240"}) run.program.emplace_back(word);
    return run;
  }
};

TEST_P(SharedPagesRefused, Recording_HoldsFramesAsTheyWerePainted) {
  const ScratchFolder scratch;
  const std::string pipe = scratch.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  UniqueFd kept_open(open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  Process reader({"cp", pipe, scratch.File("frames")}, {});
  TandemRun run = Paint();
  run.options.insert(run.options.end(), {"--output", "raw:" + pipe});
  const TandemResult result = RunTandem(run);
  kept_open.Reset();
  EXPECT_EQ(reader.Wait(30000).exit_code, 0);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.err.find(GetParam().reason), std::string::npos) << result.process.err;
  std::uint32_t frames = 0;
  const auto broken = ForEachRawFrame(scratch.File("frames"), [&](const RawFrame& frame) {
    std::uint32_t number = 0;
    const auto wrong = CheckPattern(frame, number);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
    ++frames;
  });
  EXPECT_FALSE(broken.has_value()) << *broken;
  EXPECT_GT(frames, 0u);
}

// window_test.cpp tests the window's pixels.
TEST_P(SharedPagesRefused, Window_GetsItsFramesAndTheLogSaysHow) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  TandemRun run = Paint();
  run.environment.emplace_back("DISPLAY", server->display());
  run.program.emplace_back("--xcb");
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  const std::string said = result.process.err;
  EXPECT_NE(said.find(GetParam().reason), std::string::npos) << said;
  EXPECT_NE(said.find("Frames reach the window through the connection"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(
    Ways, SharedPagesRefused,
    testing::Values(
        Refusal{"SandboxWithoutMemfd", {Program("tandem_without_memfd"), Program("tandem_paint")}, "Operation not permitted"},
        Refusal{"FilesOfNoBytes", {"env", kNoMesaCache, "prlimit", "--fsize=0", Program("tandem_paint")}, "File too large"},
        Refusal{"FilesOf64KiB", {"env", kNoMesaCache, "prlimit", "--fsize=65536", Program("tandem_paint")}, "File too large"}),
    [](const auto& refusal) { return refusal.param.name; });

TEST(WindowCloses, UnderTheSwapChain_FramesAnswerSurfaceLost) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  TandemRun run = Misbehave("close-window");
  run.options.back() = "window";
  run.environment.emplace_back("DISPLAY", server->display());
  const TandemResult result = RunTandem(run);
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
}

TEST(SandboxWithoutSockets, AroundARunningProgram_LosesItsSurfaceAndTheLogSaysWhy) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  TandemRun run = Misbehave("enter-sandbox");
  run.options.back() = "window";
  run.environment.emplace_back("DISPLAY", server->display());
  const TandemResult result = RunTandem(run);
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.err.find("may open no socket: Operation not permitted"), std::string::npos) << result.process.err;
}

TEST(DisplayServerGoesAway, WhileFramesFlow_TheProgramGetsAnErrorAndEnds) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  Environment environment = WithDrivers(VulkanDrivers());
  environment.emplace_back("DISPLAY", server->display());
  Process process({TANDEM_COMMAND, "run", "--display", "soft", "--", Program("tandem_misbehave"), "run-until-error", "--xcb"},
                  environment);
  ASSERT_TRUE(process.WaitForOutput("running", 20000));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  server->Stop();
  const ProcessResult result = process.Wait(30000);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("-10000000"), std::string::npos) << "Not VK_ERROR_SURFACE_LOST_KHR: " << result.out;
}

ProcessResult TandemWith(const std::vector<std::string>& options, const Environment& added) {
  std::vector<std::string> argv{TANDEM_COMMAND, "run"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"--", "true"});
  Environment environment = WithDrivers(VulkanDrivers());
  environment.insert(environment.end(), added.begin(), added.end());
  return RunProcess(argv, environment, 60000);
}

TEST(User, UnknownAdapter_IsNamedAndTheProgramNotStarted) {
  const ProcessResult result = TandemWith({"--render", "no such gpu"}, {});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("no such gpu"), std::string::npos) << result.err;
}

TEST(User, AdapterThatCannotRender_IsRefusedInWords) {
  const ProcessResult result = TandemWith({"--render", "soft"}, {});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("render"), std::string::npos) << result.err;
}

TEST(User, NoVulkanDriver_IsSaid) {
  const ProcessResult result = TandemWith({}, {{"VK_ICD_FILENAMES", "/nonexistent.json"}});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("/nonexistent.json"), std::string::npos) << result.err;
}

TEST(User, HostileEnvironment_IsRefusedWithNameAndValue) {
  const ProcessResult result = TandemWith({}, {{"TANDEM_PATH", "sideways"}});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("TANDEM_PATH"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("sideways"), std::string::npos) << result.err;
}

struct BadFile {
  const char* name;
  const char* text;
  const char* said;
  std::size_t times = 1;  // that the text stands in the file
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

class HostileConfiguration : public testing::TestWithParam<BadFile> {};

TEST_P(HostileConfiguration, IsNamedWithItsFileAndTheProgramRuns) {
  const ScratchFolder home;
  std::filesystem::create_directory(home.File("tandem"));
  std::ofstream file(home.File("tandem/tandem.toml"), std::ios::binary);
  for (std::size_t i = 0; i < GetParam().times; ++i) file << GetParam().text;
  file.close();
  const ProcessResult result = TandemWith({}, {{"XDG_CONFIG_HOME", home.File("")}});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("tandem.toml"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(GetParam().said), std::string::npos) << result.err;
}

INSTANTIATE_TEST_SUITE_P(
    Files, HostileConfiguration,
    testing::Values(BadFile{"UnknownValue", "[default]\npath = \"sideways\"\n", "sideways"},
                    BadFile{"BrokenSyntax", "path = [[[[[[", "array"}, BadFile{"UnknownKey", "[default]\ncolour = 1\n", "colour"},
                    BadFile{"TooLong", "################", "bytes", 1U << 18},
                    BadFile{"ForeignBytes", "[default]\npath = \"\xFF\xFE\"\n", "tandem.toml:2: Byte 0xff is not UTF-8"}),
    [](const auto& file) { return file.param.name; });

TEST(Layer, HostileEnvironmentWithoutTheCommand_StepsAsideAndTheProgramRuns) {
  // The layer cannot refuse a program that was started without the command, so it leaves the program unchanged.
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  Environment environment = WithDrivers(VulkanDrivers());
  environment.emplace_back("DISPLAY", server->display());
  environment.emplace_back("TANDEM_ENABLE", "1");
  environment.emplace_back("TANDEM_PATH", "sideways");
  environment.emplace_back("XDG_DATA_DIRS", std::string(TANDEM_LAYER).substr(0, std::string(TANDEM_LAYER).rfind('/')) + "/share");
  const ProcessResult result = RunProcess({Program("tandem_paint"), "--xcb", "--frames", "3"}, environment, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
}

Environment LayerAlone() {
  Environment environment = WithDrivers(VulkanDrivers());
  environment.emplace_back("TANDEM_ENABLE", "1");
  environment.emplace_back("TANDEM_OUTPUT", "headless");
  environment.emplace_back("XDG_DATA_DIRS", std::string(TANDEM_LAYER).substr(0, std::string(TANDEM_LAYER).rfind('/')) + "/share");
  return environment;
}

TEST(Layer, ThatStandsAside_PromisesNoMoreThanTheDriversDo) {
  const std::vector<std::string> program{Program("tandem_misbehave"), "look-around"};
  const std::string headless = "extension: VK_EXT_headless_surface 1\n";
  const ProcessResult active = RunProcess(program, LayerAlone(), 60000);
  ASSERT_EQ(active.exit_code, 0) << active.err;
  EXPECT_NE(active.out.find(headless), std::string::npos) << active.out;
  const ProcessResult without = RunProcess(program, WithDrivers(VulkanDrivers()), 60000);
  // Invalid settings are known at once, unknown adapter names only once the adapters are listed.
  for (const auto& [variable, value] : {std::pair("TANDEM_PATH", "sideways"), std::pair("TANDEM_RENDER", "no such gpu")}) {
    SCOPED_TRACE(variable);
    Environment hostile = LayerAlone();
    hostile.emplace_back(variable, value);
    const ProcessResult aside = RunProcess(program, hostile, 60000);
    EXPECT_NE(aside.out.find("layer: libVkLayer_tandem.so"), std::string::npos) << aside.out;
    EXPECT_EQ(aside.out.find(headless) != std::string::npos, without.out.find(headless) != std::string::npos) << aside.out;
  }
}

TEST(Layer, LogIntoAPipeThatNobodyReads_IsRefusedAndTheProgramRuns) {
  const ScratchFolder scratch;
  ASSERT_EQ(mkfifo(scratch.File("log").c_str(), 0600), 0);
  Environment environment = LayerAlone();
  environment.emplace_back("TANDEM_LOG", "info,file=" + scratch.File("log"));
  const ProcessResult result = RunProcess({Program("tandem_paint"), "--frames", "3", "--size", "64x48"}, environment, 20000);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("has no reader"), std::string::npos) << result.err;
}

TEST(Layer, SettingsFileThatCannotBeRead_CountsAsNoneAndIsLogged) {
  const ScratchFolder home;
  std::filesystem::create_directories(home.File("tandem/tandem.toml"));
  Environment environment = LayerAlone();
  environment.emplace_back("XDG_CONFIG_HOME", home.File(""));
  environment.emplace_back("TANDEM_LOG", "warn");
  environment.emplace_back("TANDEM_STATS", "1");
  const ProcessResult result = RunProcess({Program("tandem_paint"), "--frames", "3", "--size", "64x48"}, environment, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("tandem.toml cannot be read: Is a directory"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("3 frames presented"), std::string::npos) << result.err;
}

TEST(Swapchain, FrameLargerThanTheLimits_FailsAndTheValueAndTheLimitAreSaid) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", "llvmpipe", "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_paint"), "--frames", "1", "--size", "16385x16"};
  const TandemResult result = RunTandem(run);
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 3);
  ASSERT_TRUE(result.stats.is_object());
  EXPECT_NE(result.stats.dump().find("16385"), std::string::npos) << result.stats.dump();
  EXPECT_NE(result.stats.dump().find("16384"), std::string::npos) << result.stats.dump();
}

TEST(Swapchain, ForcedPathThatCannotBeHad_FailsAndTheReasonIsInTheStatistics) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  // A width whose linear row differs from the cross-adapter resource's.
  run.options = {"--render", "llvmpipe", "--display", "soft", "--output", "headless", "--path", "direct"};
  run.program = {Program("tandem_paint"), "--frames", "1", "--size", "17x13"};
  const TandemResult result = RunTandem(run);
  EXPECT_NE(result.process.exit_code, 0);
  ASSERT_TRUE(result.stats.is_object());
  EXPECT_NE(result.stats.dump().find("direct"), std::string::npos);
}

}  // namespace
}  // namespace tandem::test
