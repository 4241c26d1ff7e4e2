// Commands that name an object of any kind by a number: those that name a swap chain must not reach the driver.
#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

TEST(GenericHandles, OfSwapChainsImagesAndSurfaces_KeepTheirPrivateDataAndTakeNames) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    // Freed memory and the chunks beside it are looked at, so that a write into foreign memory ends the program.
    run.environment.emplace_back("MALLOC_CHECK_", "3");
    run.environment.emplace_back("MALLOC_PERTURB_", "165");
    run.options = {"--render", driver.selector, "--display", "soft", "--output", "headless"};
    run.program = {Program("tandem_handles")};
    const TandemResult result = RunTandem(run);
    EXPECT_FALSE(result.process.timed_out);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  }
}

}  // namespace
}  // namespace tandem::test
