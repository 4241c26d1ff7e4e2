// Commands that name objects of any kind by a number; the driver must not see a swap chain's.
#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

TEST(GenericHandles, OfSwapChainsImagesAndSurfaces_KeepTheirPrivateDataAndTakeNames) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    // malloc checks freed memory and neighbouring chunks, so a write into foreign memory aborts the program.
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
