// An overlay's drawing in a program's frames appears in Tandem's picture.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kOverlaidFrames = 30;

struct ShownFrames {
  std::uint32_t painted = 0;  // unchanged frames of the program
  std::uint32_t drawn_on = 0;
};

// Runs the test application in a window with `added` in its environment, and classifies the shown frames.
ShownFrames ShowWith(const XServer& server, const VulkanDriver& driver, const Environment& added) {
  const ScratchFolder scratch;
  const std::string raw = scratch.File("frames.raw");
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("DISPLAY", server.display());
  run.environment.insert(run.environment.end(), added.begin(), added.end());
  run.options = {"--render", driver.selector, "--display", "soft", "--output", "raw:" + raw};
  run.program = {
      Program("tandem_paint"), "--xcb", "--frames", std::to_string(kOverlaidFrames), "--mode", "fifo", "--size", "640x480"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ShownFrames frames;
  const auto broken = ForEachRawFrame(raw, [&frames](const RawFrame& frame) {
    std::uint32_t number = 0;
    ++(CheckPattern(frame, number).has_value() ? frames.drawn_on : frames.painted);
  });
  EXPECT_FALSE(broken.has_value()) << *broken;
  return frames;
}

bool HasLayerFile(const std::string& pattern) {
  return RunProcess({"sh", "-c", "ls /usr/share/vulkan/*layer.d/" + pattern}, {}, 5000).exit_code == 0;
}

TEST(Overlay, None_LeavesFramesAsThePainterMadeThem) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const ShownFrames frames = ShowWith(*server, VulkanDrivers().front(), {});
  EXPECT_EQ(frames.painted, kOverlaidFrames);
  EXPECT_EQ(frames.drawn_on, 0u);
}

TEST(Overlay, MangoHud_IsInThePicture) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (!HasLayerFile("MangoHud*")) GTEST_SKIP() << "MangoHud is not installed.";
  const ShownFrames frames =
      ShowWith(*server, VulkanDrivers().front(), {{"MANGOHUD", "1"}, {"MANGOHUD_CONFIG", "fps,position=top-left"}});
  EXPECT_GT(frames.drawn_on, kOverlaidFrames / 2);
}

// An explicit layer is below all layers that enable themselves.
TEST(Overlay, MesasThatIsListed_IsInThePicture) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (!HasLayerFile("VkLayer_MESA_overlay*")) GTEST_SKIP() << "Mesa's overlay is not installed.";
  const ShownFrames frames = ShowWith(*server, VulkanDrivers().front(), {{"VK_INSTANCE_LAYERS", "VK_LAYER_MESA_overlay"}});
  EXPECT_GT(frames.drawn_on, kOverlaidFrames / 2);
}

}  // namespace
}  // namespace tandem::test
