// Windows of a Wayland compositor: Weston without a screen.
#include <csignal>
#include <memory>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

class WaylandWindow : public testing::Test {
 protected:
  void SetUp() override {
    if (RunProcess({"sh", "-c", "command -v weston vkcube-wayland"}, {}, 5000).exit_code != 0) {
      GTEST_SKIP() << "weston or vkcube-wayland is not installed.";
    }
    // "ready" is printed once the socket exists; then the process becomes Weston itself.
    const std::string socket = folder_.File("wayland-test");
    const std::string start = "(until [ -S " + socket +
                              " ]; do sleep 0.02; done; echo ready) & exec weston --backend=headless-backend.so "
                              "--socket=wayland-test --log=" +
                              folder_.File("weston.log");
    compositor_ = std::make_unique<Process>(std::vector<std::string>{"sh", "-c", start},
                                            Environment{{"XDG_RUNTIME_DIR", folder_.File("")}});
    ASSERT_TRUE(compositor_->WaitForOutput("ready", 20000));
  }
  void TearDown() override {
    if (compositor_ != nullptr) compositor_->Kill(SIGTERM);
  }

  TandemResult Cube(const std::vector<std::string>& options) {
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.insert(run.environment.end(),
                           {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", "wayland-test"}, {"XDG_RUNTIME_DIR", folder_.File("")}});
    run.options = options;
    run.program = {"vkcube-wayland", "--c", "20"};
    return RunTandem(run);
  }

  ScratchFolder folder_;
  std::unique_ptr<Process> compositor_;
};

TEST_F(WaylandWindow, EachPair_Shows) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    for (const char* display : {"llvmpipe", "soft"}) {
      SCOPED_TRACE(driver.name + ", shown by " + display);
      const TandemResult result = Cube({"--render", driver.selector, "--display", display});
      EXPECT_FALSE(result.process.timed_out);
      EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
      ASSERT_TRUE(result.stats.is_object());
      EXPECT_GE(result.stats["frames_shown"].get<int>(), 10);
    }
  }
}

TEST_F(WaylandWindow, NothingAskedFor_TheCompositorReadsThePagesThatTheProgramDraws) {
  const TandemResult result = Cube({"--render", "llvmpipe"});
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object());
  EXPECT_EQ(result.stats["adapters"]["display"]["driver"], "soft") << result.stats.dump();
  EXPECT_EQ(result.stats["path"], "direct") << result.stats.dump();
  EXPECT_EQ(result.stats["output_bytes_per_frame"], 0) << result.stats.dump();
}

}  // namespace
}  // namespace tandem::test
