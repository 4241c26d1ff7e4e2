// The times that programs are told about their frames: VK_KHR_present_id2, VK_KHR_present_wait2, VK_EXT_present_timing.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

class Timing : public testing::TestWithParam<const char*> {};

TEST_P(Timing, FramesOnAHeadlessSurface_HaveTimesByTheProgramsClock) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    for (const char* form : {"layer", "driver"}) {
      SCOPED_TRACE(driver.name + ", " + form);
      TandemRun run;
      run.environment = WithDrivers(VulkanDrivers());
      run.options = {"--as", form, "--render", driver.selector, "--display", "soft", "--output", "headless"};
      run.program = {Program("tandem_timing"), "--mode", GetParam()};
      const TandemResult result = RunTandem(run);
      EXPECT_FALSE(result.process.timed_out);
      EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Timing, testing::Values("fifo", "fifo-relaxed", "immediate", "mailbox", "fifo-latest-ready"),
                         [](const auto& mode) {
                           std::string name(mode.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(TimingOfWindows, FramesOfEachDisplay_HaveTimesByTheProgramsClock) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  std::vector<std::string> displays{"soft"};
  for (const VulkanDriver& driver : VulkanDrivers()) displays.push_back(driver.selector);
  for (const std::string& display : displays) {
    SCOPED_TRACE(display);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("DISPLAY", server->display());
    run.options = {"--render", VulkanDrivers().front().selector, "--display", display};
    run.program = {Program("tandem_timing"), "--xcb"};
    const TandemResult result = RunTandem(run);
    EXPECT_FALSE(result.process.timed_out);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  }
}

// The program draws more frames than the display shows; those between are dropped, and the last one is shown.
TEST(FifoLatestReady, ProgramFasterThanTheDisplay_SkipsFrames) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_paint"), "--mode", "fifo-latest-ready", "--size", "64x64", "--images", "6", "--frames", "300"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object());
  EXPECT_EQ(result.stats["frames_presented"], 300);
  EXPECT_GT(result.stats["frames_dropped"], 0);
  EXPECT_EQ(result.stats["frames_shown"].get<int>() + result.stats["frames_dropped"].get<int>(), 300);
}

}  // namespace
}  // namespace tandem::test
