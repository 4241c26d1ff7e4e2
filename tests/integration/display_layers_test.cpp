// `tandem run --display-layers`: Vulkan layers above the display adapter's driver see the frames, in their order, and the
// window has what they make of them.
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "link/surface/link_surface.h"
#include "tests/integration/linked_pattern.h"
#include "tests/integration/painted_window.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kLayerFrames = 12, kWidth = 333, kHeight = 251;
constexpr std::uint32_t kColors = 0xFFFFFF;

// Both drivers, and the layers of tests/programs.
Environment WithTestLayers() {
  Environment environment = WithDrivers(VulkanDrivers());
  environment.emplace_back("VK_LAYER_PATH", std::string(TANDEM_PROGRAMS) + "/layers");
  return environment;
}

std::vector<std::uint32_t> LastFrame() {
  const auto frame = LinkedPattern({kWidth, kHeight}, kLayerFrames - 1, link::LinkEncoding::kPlain);
  std::vector<std::uint32_t> pixels(std::size_t{kWidth} * kHeight);
  std::memcpy(pixels.data(), frame.data(), pixels.size() * 4);
  for (std::uint32_t& pixel : pixels) pixel &= kColors;
  return pixels;
}

// The pixels of the window that `right(shown, painted)` refuses, once there are none, or after some time.
template <class Right>
std::size_t WrongPixels(const XServer& server, const Environment& environment, const std::vector<std::string>& options,
                        Right right) {
  const std::vector<std::uint32_t> painted = LastFrame();
  std::vector<std::string> words = options;
  words.emplace_back("--");
  std::size_t wrong = painted.size();
  LookAtPainted(server, environment, {words, kWidth, kHeight, kLayerFrames}, [&](const std::vector<std::uint32_t>& shot) {
    wrong = 0;
    for (std::size_t i = 0; i < shot.size(); ++i) wrong += right(shot[i] & kColors, painted[i], i) ? 0 : 1;
    return wrong == 0;
  });
  return wrong;
}

class DisplayLayers : public testing::Test {
 protected:
  void SetUp() override {
    if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
    server_ = XServer::Start();
    if (server_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  }

  // Presents that VK_LAYER_TEST_count saw while a program showed its frames; 0 if it wrote none.
  [[nodiscard]] unsigned CountedPresents(const VulkanDriver& display, const std::string& layers) const {
    const ScratchFolder folder;
    TandemRun run;
    run.environment = WithTestLayers();
    run.environment.emplace_back("DISPLAY", server_->display());
    run.environment.emplace_back("TANDEM_TEST_PRESENTS", folder.File("presents"));
    run.options = {"--render", VulkanDrivers().front().selector, "--display", display.selector, "--display-layers", layers,
                   "--stats"};
    run.program = {
        Program("tandem_paint"), "--xcb", "--frames", std::to_string(kLayerFrames), "--mode", "fifo", "--size", "333x251"};
    const TandemResult result = RunTandem(run);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    EXPECT_EQ(result.stats["frames_shown"], kLayerFrames) << result.process.err;
    unsigned presents = 0;
    std::ifstream(folder.File("presents")) >> presents;
    return presents;
  }

  std::unique_ptr<XServer> server_;
};

TEST_F(DisplayLayers, FramesPassTheLayersInTheirOrder) {
  for (const VulkanDriver& display : VulkanDrivers()) {
    SCOPED_TRACE(display.name);
    EXPECT_EQ(CountedPresents(display, "test_double,test_count"), 2 * kLayerFrames);
    EXPECT_EQ(CountedPresents(display, "test_count,test_double"), kLayerFrames);
  }
}

TEST_F(DisplayLayers, LayerThatDoublesFrames_LeavesTheLastOneInTheWindow) {
  for (const VulkanDriver& render : VulkanDrivers()) {
    for (const VulkanDriver& display : VulkanDrivers()) {
      SCOPED_TRACE(render.name + " -> " + display.name);
      const std::size_t wrong =
          WrongPixels(*server_, WithTestLayers(),
                      {"--render", render.selector, "--display", display.selector, "--display-layers", "VK_LAYER_TEST_double"},
                      [](std::uint32_t shown, std::uint32_t painted, std::size_t) { return shown == painted; });
      EXPECT_EQ(wrong, 0U);
    }
  }
}

TEST_F(DisplayLayers, VkBasalt_ChangesEachPixelAsItsTableSays) {
  if (!std::filesystem::exists("/usr/share/vulkan/implicit_layer.d/vkBasalt.json")) GTEST_SKIP() << "vkBasalt is not installed.";
  const ScratchFolder folder;
  // A table of two entries an axis, which inverts colours.
  std::ofstream table(folder.File("invert.cube"));
  table << "LUT_3D_SIZE 2\n";
  for (int corner = 0; corner < 8; ++corner)
    table << 1 - corner % 2 << " " << 1 - corner / 2 % 2 << " " << 1 - corner / 4 << "\n";
  table.close();
  std::ofstream(folder.File("vkBasalt.conf")) << "effects = lut\nlutFile = \"" << folder.File("invert.cube") << "\"\n";
  Environment environment = WithDrivers(VulkanDrivers());
  environment.emplace_back("VKBASALT_CONFIG_FILE", folder.File("vkBasalt.conf"));
  const VulkanDriver driver = VulkanDrivers().front();
  const std::size_t wrong = WrongPixels(
      *server_, environment, {"--render", driver.selector, "--display", driver.selector, "--display-layers", "vkbasalt"},
      [](std::uint32_t shown, std::uint32_t painted, std::size_t) {
        for (const int shift : {0, 8, 16}) {
          const int left = static_cast<int>(shown >> shift & 0xFF) - (255 - static_cast<int>(painted >> shift & 0xFF));
          if (left < -1 || left > 1) return false;
        }
        return true;
      });
  EXPECT_EQ(wrong, 0U);
}

TEST_F(DisplayLayers, MangoHud_DrawsInTheCornerAlone) {
  if (RunProcess({"sh", "-c", "ls /usr/share/vulkan/implicit_layer.d/MangoHud*"}, {}, 5000).exit_code != 0) {
    GTEST_SKIP() << "MangoHud is not installed.";
  }
  Environment environment = WithDrivers(VulkanDrivers());
  environment.emplace_back("MANGOHUD_CONFIG", "legacy_layout=0,fps,width=100,font_size=16,position=top-left");
  const VulkanDriver driver = VulkanDrivers().front();
  std::size_t drawn = 0;
  const std::size_t wrong = WrongPixels(
      *server_, environment, {"--render", driver.selector, "--display", driver.selector, "--display-layers", "mangohud"},
      [&drawn](std::uint32_t shown, std::uint32_t painted, std::size_t i) {
        if (i == 0) drawn = 0;
        const bool corner = i % kWidth < 200 && i / kWidth < 120;
        if (corner) drawn += shown != painted ? 1 : 0;
        return corner || shown == painted;
      });
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(drawn, 500U);
}

TEST_F(DisplayLayers, WhatCannotBe_IsRefusedBeforeTheProgramStarts) {
  const auto refusal = [](const std::string& display, const std::string& layers) {
    const ProcessResult result = RunProcess({TANDEM_COMMAND, "run", "--render", VulkanDrivers().front().selector, "--display",
                                             display, "--display-layers", layers, "--", "echo", "started"},
                                            WithTestLayers(), 60000);
    EXPECT_EQ(result.exit_code, 125) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_NE(refusal("soft", "test_count").find("Display layers need an adapter that shows by a Vulkan driver"),
            std::string::npos);
  EXPECT_NE(refusal(VulkanDrivers().front().selector, "none_such").find("There is no Vulkan layer 'none_such'. Installed are: "),
            std::string::npos);
  EXPECT_NE(refusal(VulkanDrivers().front().selector, "layer_test").find("VK_LAYER_TEST_double, VK_LAYER_TEST_count"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::test
