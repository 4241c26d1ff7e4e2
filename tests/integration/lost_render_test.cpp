// A render adapter that is lost while a program runs: the program's next device is on another one.
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

// The form of Tandem, and how the program takes its next device.
using Way = std::tuple<const char*, const char*>;

// The driver form has one driver an instance.
const auto kWays = testing::Values(Way("layer", "same-instance"), Way("layer", "new-instance"), Way("layer", "kept-handle"),
                                   Way("driver", "new-instance"));

std::string NameOf(const testing::TestParamInfo<Way>& way) {
  std::string name = std::string(std::get<0>(way.param)) + std::get<1>(way.param);
  std::erase(name, '-');
  return name;
}

TandemRun LostProgram(const std::string& how) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render",  VulkanDrivers().front().selector, "--display", "soft", "--output", "headless", "--lose",
                 "render:300"};
  run.program = {Program("tandem_lost"), how};
  run.limit_ms = 60000;
  return run;
}

// The names of the devices that the program took.
std::vector<std::string> DevicesIn(const std::string& output) {
  std::vector<std::string> names;
  const std::string key = "device: ";
  for (std::size_t at = output.find(key); at != std::string::npos; at = output.find(key, at)) {
    at += key.size();
    names.push_back(output.substr(at, output.find('\n', at) - at));
  }
  return names;
}

void ExpectMove(const TandemResult& result) {
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.out << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  const auto devices = DevicesIn(result.process.out);
  ASSERT_EQ(devices.size(), 2U) << result.process.out;
  EXPECT_NE(devices[0], devices[1]);
  const auto& changes = result.stats["render_changes"];
  ASSERT_EQ(changes.size(), 1U) << result.stats.dump();
  EXPECT_EQ(changes[0]["from"], devices[0]);
  EXPECT_EQ(changes[0]["to"], devices[1]);
  EXPECT_EQ(result.stats["render_adapter"], devices[1]);
  ASSERT_EQ(result.stats["swap_chains"].size(), 2U) << result.stats.dump();
  EXPECT_EQ(result.stats["swap_chains"][1]["frames_presented"], 20);
}

TEST(RenderAdapterIsLost, WhileFramesFlow_TheProgramGetsDeviceLostAndEnds) {
  TandemRun run = LostProgram("");
  run.program = {Program("tandem_misbehave"), "run-until-error"};
  const TandemResult result = RunTandem(run);
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.out.find("-4\n"), std::string::npos) << "Not VK_ERROR_DEVICE_LOST: " << result.process.out;
}

class NextRenderAdapter : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (VulkanDrivers().size() < 2) GTEST_SKIP() << "There is no second Vulkan driver.";
  }
};

TEST_P(NextRenderAdapter, TakesTheProgramsNextDevice) {
  const auto [form, how] = GetParam();
  TandemRun run = LostProgram(how);
  run.options.insert(run.options.end(), {"--as", form});
  const TandemResult result = RunTandem(run);
  ExpectMove(result);
  if (std::string(how) != "kept-handle") return;
  EXPECT_NE(result.process.out.find("on the kept handle: -4\n"), std::string::npos) << result.process.out;
}

INSTANTIATE_TEST_SUITE_P(Ways, NextRenderAdapter, kWays, NameOf);

TEST(RenderAdapterIsLost, TheUserWaitsForIt_TheProgramStaysOnIt) {
  if (VulkanDrivers().size() < 2) GTEST_SKIP() << "There is no second Vulkan driver.";
  TandemRun run = LostProgram("same-instance");
  run.options.insert(run.options.end(), {"--on-lost", "wait"});
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_TRUE(result.stats["render_changes"].empty()) << result.stats.dump();
  const auto devices = DevicesIn(result.process.out);
  ASSERT_EQ(devices.size(), 2U) << result.process.out;
  EXPECT_EQ(devices[0], devices[1]);
}

// A driver whose GPU vanishes: submissions, waits and new devices fail.
class RenderGpuVanishes : public testing::TestWithParam<Way> {};

TEST_P(RenderGpuVanishes, TheNextDeviceIsOnAnotherDriver) {
  const VulkanDriver other = VulkanDrivers().back();
  if (other.name == "lavapipe") GTEST_SKIP() << "There is no second Vulkan driver.";
  const auto [form, how] = GetParam();
  TandemRun run = WithLie("vanish:60", {Liar(), other});
  run.options = {"--render", "llvmpipe", "--display", "soft", "--output", "headless", "--as", form};
  run.program = {Program("tandem_lost"), how};
  const TandemResult result = RunTandem(run);
  ExpectMove(result);
}

INSTANTIATE_TEST_SUITE_P(Ways, RenderGpuVanishes, kWays, NameOf);

// The device is lost, as after a shader that hung, and its GPU works on.
TEST(RenderAdapterIsLost, DeviceLostAlone_TheAdapterStays) {
  const VulkanDriver other = VulkanDrivers().back();
  if (other.name == "lavapipe") GTEST_SKIP() << "There is no second Vulkan driver.";
  TandemRun run = WithLie("lose-once:60", {Liar(), other});
  run.options = {"--render", "llvmpipe", "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_lost"), "same-instance"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.out << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_TRUE(result.stats["render_changes"].empty()) << result.stats.dump();
}

}  // namespace
}  // namespace tandem::test
