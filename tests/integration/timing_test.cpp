// The times that programs are told about their frames: VK_KHR_present_id2, VK_KHR_present_wait2, VK_EXT_present_timing.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "outputs/testing/wayland_compositor.h"
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

// Times that the program prints as "shown 12345", nanoseconds.
std::vector<std::int64_t> ShownTimes(const std::string& printed) {
  std::vector<std::int64_t> times;
  std::istringstream lines(printed);
  for (std::string name, number; lines >> name >> number;) {
    if (name == "shown") times.push_back(std::stoll(number));
  }
  return times;
}

// The compositor's events come 2 ms after what they tell of.
TEST(TimingOfWindows, FramesOnWayland_HaveTheCompositorsOwnTimes) {
  constexpr std::int64_t kMostNs = 100'000;
  outputs::testing::CompositorManners manners;
  manners.socket = "tandem-test";
  manners.refresh_ms = 16;
  manners.late_ns = 2'000'000;
  const RuntimeFolder folder;
  const auto compositor = outputs::testing::WaylandCompositor::Start(manners);
  ASSERT_TRUE(compositor);
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.insert(run.environment.end(),
                         {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", "tandem-test"}, {"XDG_RUNTIME_DIR", folder.path()}});
  run.options = {"--render", VulkanDrivers().front().selector, "--display", "soft"};
  run.program = {Program("tandem_timing"), "--wayland"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  const std::vector<std::int64_t> shown = ShownTimes(result.process.out);
  EXPECT_GE(shown.size(), 8U);
  const auto frames = compositor->frames();
  for (const std::int64_t shown_ns : shown) {
    std::int64_t nearest_ns = INT64_MAX;
    for (const auto& frame : frames) nearest_ns = std::min(nearest_ns, std::abs(frame.seen_at_ns - shown_ns));
    EXPECT_LE(nearest_ns, kMostNs) << shown_ns;
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
