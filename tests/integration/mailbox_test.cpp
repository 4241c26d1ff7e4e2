// VK_PRESENT_MODE_MAILBOX_KHR: a program presents as fast as it draws, and the display shows the newest of its frames.
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

class Mailbox : public testing::TestWithParam<const char*> {};

// If images returned only at a vertical blank, only every second frame would be shown, however fast the program is.
TEST_P(Mailbox, SmallFrames_AreNotHeldUpByTheVerticalBlank) {
  const bool direct = std::string(GetParam()) == "direct";
  for (const VulkanDriver& driver : VulkanDrivers()) {
    if (direct && driver.name == "SwiftShader") continue;  // SwiftShader offers no linear colour attachments
    SCOPED_TRACE(driver.name);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.options = {"--render", driver.selector, "--display", "soft", "--output", "headless", "--path", GetParam()};
    run.program = {Program("tandem_paint"), "--mode", "mailbox", "--size", "64x64", "--frames", "600"};
    const TandemResult result = RunTandem(run);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    ASSERT_TRUE(result.stats.is_object());
    EXPECT_EQ(result.stats["frames_presented"], 600);
    EXPECT_LT(result.stats["frames_shown"].get<int>() * 5, 600 * 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, Mailbox, testing::Values("direct", "one-copy"),
                         [](const auto& path) { return std::string(path.param) == "direct" ? "Direct" : "OneCopy"; });

}  // namespace
}  // namespace tandem::test
