// Programs on an adapter that the configuration file tags as no graphics adapter.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

class HiddenAdapter : public testing::Test {
 protected:
  // The first driver's adapter is hidden.
  TandemRun Run(const std::vector<std::string>& options) const {
    fs::create_directories(scratch_.File("tandem"));
    std::ofstream(scratch_.File("tandem/tandem.toml"))
        << "[adapter.\"" << VulkanDrivers().front().selector << "\"]\nhidden = true\n";
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("XDG_CONFIG_HOME", scratch_.File(""));
    run.options = options;
    run.program = {Program("tandem_paint"), "--frames", "12", "--mode", "fifo", "--size", "333x251"};
    run.limit_ms = 60000;
    return run;
  }

  const ScratchFolder scratch_;
};

TEST_F(HiddenAdapter, ProgramThatNamesIt_RendersEachFrameThere) {
  const VulkanDriver hidden = VulkanDrivers().front();
  for (const char* form : {"layer", "driver"}) {
    SCOPED_TRACE(form);
    const std::string raw = scratch_.File(form);
    const TandemResult result =
        RunTandem(Run({"--as", form, "--render", hidden.selector, "--display", "soft", "--output", "raw:" + raw}));
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    ASSERT_TRUE(result.stats.is_object()) << result.process.err;
    EXPECT_NE(result.stats["render_adapter"].get<std::string>().find(hidden.selector), std::string::npos);
    std::uint32_t expected = 0;
    const auto broken = ForEachRawFrame(raw, [&](const RawFrame& frame) {
      std::uint32_t number = 0;
      EXPECT_EQ(CheckPattern(frame, number), std::nullopt);
      EXPECT_EQ(number, expected++);
    });
    EXPECT_EQ(broken, std::nullopt);
    EXPECT_EQ(expected, 12U);
  }
}

TEST_F(HiddenAdapter, ProgramThatNamesNone_RendersElsewhereOrNotAtAll) {
  const TandemResult result = RunTandem(Run({"--display", "soft", "--output", "headless"}));
  if (VulkanDrivers().size() == 1) {
    EXPECT_EQ(result.process.exit_code, 125) << result.process.err;
    return;
  }
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_NE(result.stats["render_adapter"].get<std::string>().find(VulkanDrivers()[1].selector), std::string::npos);
}

TEST_F(HiddenAdapter, ProgramThatWantsItsScreen_IsRefusedBeforeTheStart) {
  const TandemResult result = RunTandem(Run({"--display", VulkanDrivers().front().selector, "--output", "window"}));
  EXPECT_EQ(result.process.exit_code, 125) << result.process.err;
  EXPECT_FALSE(result.stats.is_object());
}

}  // namespace
}  // namespace tandem::test
