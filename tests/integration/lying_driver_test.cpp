// Vulkan drivers that lose their device, refuse imports or run out of memory. The program gets the error that its API defines,
// or the frames take a weaker path with a report.
#include <filesystem>
#include <fstream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

TEST(LyingDriver, RenderDeviceLostWhileFramesFlow_TheProgramIsToldDeviceLost) {
  TandemRun run = WithLie("lose-device:60", {Liar()});
  run.options = {"--render", "0", "--display", "soft", "--output", "headless"};
  run.program = {Program("tandem_misbehave"), "run-until-error"};
  const TandemResult result = RunTandem(run);
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.out.find("\n-4\n"), std::string::npos) << "Not VK_ERROR_DEVICE_LOST: " << result.process.out;
  EXPECT_NE(result.process.err.find("is lost"), std::string::npos) << result.process.err;
}

TEST(LyingDriver, DisplayDeviceLostWhileFramesFlow_AnotherAdapterShowsTheOthers) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const VulkanDriver other = VulkanDrivers().back();
  if (other.name == "lavapipe") GTEST_SKIP() << "There is no second Vulkan driver.";
  TandemRun run = WithLie("lose-device:60", {Liar(), other});
  run.environment.emplace_back("DISPLAY", server->display());
  run.options = {"--render", other.selector, "--display", "llvmpipe", "--output", "window"};
  run.program = {Program("tandem_paint"), "--xcb", "--frames", "200", "--mode", "fifo", "--size", "320x240"};
  const TandemResult result = RunTandem(run);
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  const auto& changes = result.stats["display_changes"];
  ASSERT_EQ(changes.size(), 1U) << result.stats.dump();
  EXPECT_NE(changes[0]["from"].get<std::string>().find("llvmpipe"), std::string::npos) << changes.dump();
  EXPECT_EQ(result.stats["frames_presented"], 200);
  EXPECT_EQ(result.stats["frames_shown"].get<int>() + result.stats["frames_dropped"].get<int>(), 200) << result.stats.dump();
  EXPECT_GT(result.stats["frames_shown"].get<int>(), 100) << result.stats.dump();
}

TEST(LyingDriver, ImportRefused_TheProcessorCopiesAndItIsSaid) {
  const ScratchFolder scratch;
  TandemRun run = WithLie("refuse-import", {Liar()});
  run.options = {"--render", "0", "--display", "soft", "--output", "raw:" + scratch.File("frames.raw")};
  run.program = {Program("tandem_paint"), "--frames", "10", "--size", "320x240"};
  const TandemResult result = RunTandem(run);
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object());
  EXPECT_EQ(result.stats["path"], "cpu") << result.stats.dump();
  EXPECT_NE(result.stats["path_reason"].get<std::string>().find("Importing"), std::string::npos) << result.stats.dump();
  std::uint32_t frames = 0;
  const auto broken = ForEachRawFrame(scratch.File("frames.raw"), [&](const RawFrame& frame) {
    std::uint32_t number = 0;
    EXPECT_EQ(CheckPattern(frame, number), std::nullopt);
    ++frames;
  });
  EXPECT_EQ(broken, std::nullopt);
  EXPECT_GT(frames, 0U);
}

// The list of adapters believes the driver; the kernel's probe finds the truth.
TEST(LyingDriver, ImportRefused_DirectPathIsRefusedBeforeTheStart) {
  const ScratchFolder scratch;
  TandemRun run = WithLie("refuse-import", {Liar()});
  run.options = {"--render", "0", "--display", "soft", "--output", "headless", "--path", "direct"};
  run.program = {"touch", scratch.File("started")};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 125) << result.process.err;
  EXPECT_NE(result.process.err.find("has cross-adapter tier 1 and tier 2 is needed"), std::string::npos) << result.process.err;
  EXPECT_FALSE(std::filesystem::exists(scratch.File("started")));
}

// An old driver, by its lie.
class OldDriver : public testing::TestWithParam<const char*> {};

// It shows frames. It renders none, and says why.
TEST_P(OldDriver, Listed_ShowsFramesAndRendersNone) {
  const VulkanDriver render = VulkanDrivers().front();
  const TandemRun run = WithLie(GetParam(), {Liar(), render});
  Process list({TANDEM_COMMAND, "adapters", "--json"}, run.environment);
  const ProcessResult listed = list.Wait(60000);
  const auto adapters = nlohmann::json::parse(listed.out, nullptr, false);
  ASSERT_TRUE(adapters.is_object()) << listed.out << listed.err;
  const auto& old = adapters["adapters"][0];
  EXPECT_EQ(old["can_render"], false) << old.dump();
  EXPECT_EQ(old["can_display"], true) << old.dump();
  EXPECT_NE(old["tier_reason"].get<std::string>().find("no timeline semaphores"), std::string::npos) << old.dump();
  TandemRun renders = run;
  renders.options = {"--render", "0", "--display", "soft", "--output", "headless"};
  renders.program = {"true"};
  const TandemResult refused = RunTandem(renders);
  EXPECT_EQ(refused.process.exit_code, 125) << refused.process.err;
}

// The rules of presents hold on fences and bounced pages as on timeline semaphores and imported ones.
TEST_P(OldDriver, Conform_KeepsTheRulesOfPresents) {
  const TandemRun run = WithLie(GetParam(), {Liar()});
  Process conform({TANDEM_COMMAND, "conform", "--adapter", "0", "--filter", "Present.*"}, run.environment);
  const ProcessResult result = conform.Wait(120000);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("conforms: no rule is broken"), std::string::npos) << result.out;
}

INSTANTIATE_TEST_SUITE_P(Vulkan, OldDriver, testing::Values("vulkan-1.1", "vulkan-1.0", "vulkan-1.0-uuid"));

nlohmann::json FirstAdapter(const std::string& lie) {
  const TandemRun run = WithLie(lie, {Liar(), VulkanDrivers().front()});
  const ProcessResult listed = RunProcess({TANDEM_COMMAND, "adapters", "--json"}, run.environment, 60000);
  const auto adapters = nlohmann::json::parse(listed.out, nullptr, false);
  return adapters.is_object() ? adapters["adapters"][0] : nlohmann::json();
}

// The one without UUIDs has an identity of ours, the same in every process; it is said, and it selects the device.
TEST(LyingDriver, Vulkan10WithoutUuids_IsFoundByWhatItsPropertiesMake) {
  const auto real = FirstAdapter("vulkan-1.1");
  const auto told = FirstAdapter("vulkan-1.0-uuid");
  const auto made = FirstAdapter("vulkan-1.0");
  ASSERT_TRUE(real.is_object() && told.is_object() && made.is_object());
  EXPECT_EQ(told["device_uuid"], real["device_uuid"]);
  EXPECT_EQ(told["uuid_derived"], false);
  EXPECT_NE(made["device_uuid"], real["device_uuid"]);
  EXPECT_EQ(made["uuid_derived"], true);
  EXPECT_EQ(FirstAdapter("vulkan-1.0")["device_uuid"], made["device_uuid"]);
  const TandemRun run = WithLie("vulkan-1.0", {Liar(), VulkanDrivers().front()});
  const std::string uuid = made["device_uuid"];
  const ProcessResult conform =
      RunProcess({TANDEM_COMMAND, "conform", "--adapter", uuid, "--filter", "Present.Order"}, run.environment, 60000);
  EXPECT_EQ(conform.exit_code, 0) << conform.out << conform.err;
}

// A lie about memory, and its VkResult.
struct Lack {
  const char* lie;
  const char* result;
};

void PrintTo(const Lack& lack, std::ostream* out) { *out << lack.lie; }

class OutOfMemory : public testing::TestWithParam<std::tuple<Lack, int>> {
 protected:
  static Lack lack() { return std::get<Lack>(GetParam()); }
  static TandemRun Paint() {
    TandemRun run = WithLie(std::string(lack().lie) + ":" + std::to_string(std::get<int>(GetParam())), {Liar()});
    run.options = {"--render", "0", "--display", "soft", "--output", "headless"};
    run.program = {Program("tandem_paint"), "--frames", "3", "--size", "64x64"};
    return run;
  }
};

// Whichever allocation fails first, the program runs, or ends with a Vulkan error. Nothing hangs or crashes.
TEST_P(OutOfMemory, NthAllocationFails_TheProgramIsToldThatAndEndsInOrder) {
  const TandemResult result = RunTandem(Paint());
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_TRUE(result.process.exit_code == 0 || result.process.exit_code == 3) << result.process.exit_code << result.process.err;
  if (result.process.exit_code == 0) return;
  EXPECT_NE(result.process.err.find(std::string(" answered ") + lack().result + "."), std::string::npos) << result.process.err;
}

constexpr Lack kLacks[] = {{"out-of-memory", "-2"}, {"out-of-host-memory", "-1"}};
INSTANTIATE_TEST_SUITE_P(Calls, OutOfMemory, testing::Combine(testing::ValuesIn(kLacks), testing::Range(1, 16)));

class NoMemoryAtAll : public OutOfMemory {};

TEST_P(NoMemoryAtAll, SwapChain_CannotBeMadeAndThatIsWhy) {
  const TandemResult result = RunTandem(Paint());
  EXPECT_EQ(result.process.exit_code, 3) << result.process.err;
  EXPECT_NE(result.process.err.find(std::string("vkCreateSwapchainKHR answered ") + lack().result + "."), std::string::npos)
      << result.process.err;
}

INSTANTIATE_TEST_SUITE_P(Calls, NoMemoryAtAll, testing::Combine(testing::ValuesIn(kLacks), testing::Values(1)));

}  // namespace
}  // namespace tandem::test
