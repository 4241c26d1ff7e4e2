// What surfaces answer when they are asked, and how many of them there may be.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

// The software adapter, and each Vulkan driver.
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
    // VK_FORMAT_A2B10G10R10_UNORM_PACK32; the server's windows have eight bits a channel.
    EXPECT_EQ(result.process.out.find("format 64\n"), std::string::npos) << result.process.out;
  }
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
