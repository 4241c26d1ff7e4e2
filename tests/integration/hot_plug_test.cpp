// A monitor that goes while a program runs, and comes back: the program goes on, and is seen again.
#include <gtest/gtest.h>

#include <vector>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kHotPlugFrames = 120;

class HotPlug : public testing::TestWithParam<const char*> {};

TEST_P(HotPlug, MonitorGoesAndComes_TheProgramGoesOn_AndIsSeenAgain) {
  const ScratchFolder scratch;
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render",       VulkanDrivers().front().selector,
                 "--display",      "soft",
                 "--output",       "raw:" + scratch.File("frames"),
                 "--unplug",       "300:700",
                 "--present-mode", GetParam()};
  run.program = {Program("tandem_paint"), "--frames", std::to_string(kHotPlugFrames), "--size", "64x64", "--mode", GetParam()};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_EQ(result.stats["frames_presented"], kHotPlugFrames);
  std::vector<std::uint32_t> seen;
  const auto broken = ForEachRawFrame(scratch.File("frames"), [&](const RawFrame& frame) {
    std::uint32_t number = 0;
    const auto fault = CheckPattern(frame, number);
    EXPECT_FALSE(fault) << *fault;
    seen.push_back(number);
  });
  EXPECT_FALSE(broken) << *broken;
  // The pictures of 700 ms at 60 Hz are missing, and no others that matter: the last ones are there.
  ASSERT_FALSE(seen.empty());
  EXPECT_LT(seen.size(), kHotPlugFrames - 20);
  EXPECT_EQ(seen.back(), kHotPlugFrames - 1);
}

INSTANTIATE_TEST_SUITE_P(Modes, HotPlug, testing::Values("fifo", "fifo-relaxed"),
                         [](const auto& mode) { return std::string(mode.param) == "fifo" ? "Fifo" : "FifoRelaxed"; });

}  // namespace
}  // namespace tandem::test
