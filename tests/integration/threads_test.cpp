// Programs with many threads: each has its own swap chain, and all share one device with one queue.
#include <cstdint>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

struct Crowd {
  const char* name;
  std::uint32_t threads;
  const char* path;
};

void PrintTo(const Crowd& crowd, std::ostream* out) { *out << crowd.threads << " threads, " << crowd.path; }

class ManyThreads : public testing::TestWithParam<Crowd> {};

TEST_P(ManyThreads, EachWithSwapChainsOfItsOwn_PresentAllFrames) {
  // Swap chains come and go while others present, so copies wait for the processor.
  constexpr std::uint32_t kRounds = 10;
  constexpr std::uint32_t kFramesEach = 4;
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.options = {"--render", driver.selector, "--display", "soft", "--output", "headless", "--path", GetParam().path};
    run.program = {Program("tandem_threads"),
                   "--mode",
                   "immediate",
                   "--threads",
                   std::to_string(GetParam().threads),
                   "--rounds",
                   std::to_string(kRounds),
                   "--frames",
                   std::to_string(kFramesEach)};
    const TandemResult result = RunTandem(run);
    EXPECT_FALSE(result.process.timed_out);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    ASSERT_TRUE(result.stats.is_object());
    EXPECT_EQ(result.stats["frames_presented"], GetParam().threads * kRounds * kFramesEach);
  }
}

INSTANTIATE_TEST_SUITE_P(Crowds, ManyThreads,
                         testing::Values(Crowd{"EightOneCopy", 8, "one-copy"}, Crowd{"SixteenOneCopy", 16, "one-copy"},
                                         Crowd{"EightAuto", 8, "auto"}, Crowd{"EightByProcessor", 8, "cpu"}),
                         [](const auto& crowd) { return crowd.param.name; });

}  // namespace
}  // namespace tandem::test
