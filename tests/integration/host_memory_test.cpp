// Callbacks for host memory that a program gives its instance and its device.
#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

TEST(HostMemory, OfTheProgramRefusesAll_FramesAreShownWithoutIt) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    for (const char* form : {"layer", "driver"}) {
      SCOPED_TRACE(form);
      TandemRun run;
      run.environment = WithDrivers({driver});
      run.options = {"--as", form, "--render", driver.selector, "--display", "soft", "--output", "headless"};
      run.program = {Program("tandem_host_memory"), "--frames", "8"};
      const TandemResult result = RunTandem(run);
      EXPECT_FALSE(result.process.timed_out);
      EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
      ASSERT_TRUE(result.stats.is_object()) << result.process.err;
      EXPECT_EQ(result.stats["frames_shown"], 8);
    }
  }
}

TEST(HostMemory, OfASurfaceOrSwapChainRefusesAll_ItsCreationFailsUntilThereIsMemory) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    for (const char* form : {"layer", "driver"}) {
      SCOPED_TRACE(driver.name + ", " + form);
      TandemRun run;
      run.environment = WithDrivers({driver});
      run.options = {"--as", form, "--render", driver.selector, "--display", "soft", "--output", "headless"};
      run.program = {Program("tandem_host_memory"), "--limited"};
      const TandemResult result = RunTandem(run);
      EXPECT_FALSE(result.process.timed_out);
      EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    }
  }
}

}  // namespace
}  // namespace tandem::test
