// Surfaces' answers to queries, and the number of possible surfaces.
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

// Selectors of the software adapter and of each Vulkan driver.
std::vector<std::string> DisplaySelectors() {
  std::vector<std::string> displays{"soft"};
  for (const VulkanDriver& driver : VulkanDrivers()) displays.push_back(driver.selector);
  return displays;
}

TandemResult AskSurfaces(const XServer& server, const std::string& display, const std::vector<std::string>& arguments) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("DISPLAY", server.display());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", display};
  run.program = {Program("tandem_queries"), "--xcb"};
  run.program.insert(run.program.end(), arguments.begin(), arguments.end());
  return RunTandem(run);
}

TEST(Surfaces, MoreWindowsThanAnAdapterHasOutputs_AreAllAnsweredAndShown) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const std::string& display : DisplaySelectors()) {
    SCOPED_TRACE(display);
    const TandemResult result = AskSurfaces(*server, display, {"--windows", "20"});
    EXPECT_FALSE(result.process.timed_out);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    ASSERT_TRUE(result.stats.is_object());
    EXPECT_EQ(result.stats["frames_shown"], 20);
  }
}

// The number of threads that the program printed.
std::string Threads(const TandemResult& result) {
  const std::string& out = result.process.out;
  const std::size_t begin = out.find("threads ");
  return begin == std::string::npos ? out : out.substr(begin, out.find('\n', begin) - begin);
}

TEST(Surfaces, ThatAreOnlyAskedAbout_TakeNoOutput) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const std::string& display : DisplaySelectors()) {
    SCOPED_TRACE(display);
    const TandemResult one = AskSurfaces(*server, display, {"--windows", "1", "--shown", "0"});
    const TandemResult many = AskSurfaces(*server, display, {"--windows", "70", "--shown", "0"});
    EXPECT_EQ(many.process.exit_code, 0) << many.process.err;
    // Each adapter with eight outputs has a thread for each of them.
    EXPECT_EQ(Threads(many), Threads(one));
    EXPECT_EQ(Threads(many).find("threads "), 0u) << Threads(many);
  }
}

TEST(Surfaces, ThatAreOnlyAskedAbout_LeaveTheRecordingsOfOthersTheirNames) {
  const ScratchFolder scratch;
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "raw:" + scratch.File("frames")};
  run.program = {Program("tandem_queries"), "--windows", "70", "--shown", "2"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_TRUE(std::filesystem::exists(scratch.File("frames")));
  EXPECT_TRUE(std::filesystem::exists(scratch.File("frames-1")));
  EXPECT_FALSE(std::filesystem::exists(scratch.File("frames-2")));
}

TEST(Surfaces, MoreWindowsThanSixtyFour_AreAllAnsweredAndSomeShown) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const std::string& display : DisplaySelectors()) {
    SCOPED_TRACE(display);
    const TandemResult result = AskSurfaces(*server, display, {"--windows", "70", "--shown", "12"});
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    ASSERT_TRUE(result.stats.is_object());
    EXPECT_EQ(result.stats["frames_shown"], 12);
  }
}

TEST(Surfaces, AskedAboutByAnotherInstance_AreAnsweredAlike) {
  for (const char* form : {"layer", "driver"}) {
    SCOPED_TRACE(form);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.options = {"--as", form, "--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "headless"};
    run.program = {Program("tandem_queries"), "--other-instance"};
    const TandemResult result = RunTandem(run);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  }
}

// ANGLE asks with a null handle before it has a window: the loader lists VK_GOOGLE_surfaceless_query for any driver that has it,
// and lavapipe would read the handle. As a driver: ChromiumsLoader, for Debian's loader reads the handle itself.
TEST(Surfaces, NoneGiven_IsAnsweredForEveryWindow) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.options = {"--as", "layer", "--render", driver.selector, "--display", "soft", "--output", "headless"};
    run.program = {Program("tandem_queries"), "--without-surface"};
    const TandemResult result = RunTandem(run);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    EXPECT_NE(result.process.out.find("format without surface 44\n"), std::string::npos) << result.process.out;
    // A window may have eight bits a channel.
    EXPECT_EQ(result.process.out.find("format without surface 97\n"), std::string::npos) << result.process.out;
  }
}

TEST(Surfaces, WindowThatWasJustResized_IsToldWithItsNewExtent) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const std::string& display : DisplaySelectors()) {
    SCOPED_TRACE(display);
    const TandemResult result = AskSurfaces(*server, display, {"--resizes", "200"});
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  }
}

TEST(Surfaces, OfX11Windows_OfferAlphaOfTheirsAndWhatTheirBitsHold) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const std::string& display : DisplaySelectors()) {
    SCOPED_TRACE(display);
    const TandemResult result = AskSurfaces(*server, display, {});
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    // VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR and VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR.
    EXPECT_NE(result.process.out.find("alpha 9\n"), std::string::npos) << result.process.out;
    EXPECT_NE(result.process.out.find("format 44\n"), std::string::npos) << result.process.out;
    if (display != "soft") continue;  // a driver's own windows may have ten bits
    // The server's windows have eight bits a channel: no VK_FORMAT_A2B10G10R10_UNORM_PACK32, no VK_FORMAT_R16G16B16A16_SFLOAT.
    EXPECT_EQ(result.process.out.find("format 64\n"), std::string::npos) << result.process.out;
    EXPECT_EQ(result.process.out.find("format 97\n"), std::string::npos) << result.process.out;
  }
}

TEST(Surfaces, OfOutputsThatKeepMoreThanEightBits_OfferFormatsThatHaveThem) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_queries")};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.out.find("format 64\n"), std::string::npos) << result.process.out;
  EXPECT_NE(result.process.out.find("format 97\n"), std::string::npos) << result.process.out;
}

TEST(Surfaces, WindowThatItsProgramCloses_IsNoError) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("DISPLAY", server->display());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", "soft"};
  run.program = {Program("tandem_misbehave"), "close-window"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.process.err.find("[error]"), std::string::npos) << result.process.err;
}

TEST(Summary, SwapChainsWithoutAFrame_AreCountedInOneLine) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--stats", "--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_misbehave"), "never-acquire"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.err.find("1 swap chain without a frame"), std::string::npos) << result.process.err;
  EXPECT_EQ(result.process.err.find("0 frames presented"), std::string::npos) << result.process.err;
}

}  // namespace
}  // namespace tandem::test
