// Frames in the windows of compositors that people use, by the compositor's own screenshot or a photograph of the screen.
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/integration/compositors.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr int kCompositorFrames = 20;

// Shows frames until the last one stays, and compares what the screen shows with that frame.
void ExpectLastFrame(const Compositor& compositor, const std::string& path) {
  Environment environment = WithDrivers(VulkanDrivers());
  for (const auto& variable : compositor.environment()) environment.push_back(variable);
  Process program(
      {TANDEM_COMMAND, "run", "--render", "llvmpipe", "--display", "soft", "--path", path, "--", Program("tandem_paint"),
       "--wayland", "--fullscreen", "--mode", "fifo", "--frames", std::to_string(kCompositorFrames), "--hold"},
      environment);
  if (!program.WaitForOutput("painted", 120'000)) {
    program.Kill(SIGTERM);
    FAIL() << program.Wait(10'000).err << compositor.log();
  }
  // The last frame is queued by then; the compositor shows it some refreshes later.
  std::optional<std::string> fault = "There was no screenshot.";
  for (int attempt = 0; fault && attempt < 20; ++attempt) {
    if (const std::optional<ScreenPicture> shot = compositor.Photograph()) fault = FaultOf(*shot, kCompositorFrames - 1);
  }
  EXPECT_FALSE(fault) << *fault << "\n" << compositor.log();
  program.Kill(SIGTERM);
  static_cast<void>(program.Wait(10'000));
}

// The reason why a compositor cannot be tested here, or nothing.
std::optional<std::string> Obstacle(const CompositorKind& kind) {
  if (VulkanDrivers().empty()) return "No Vulkan driver is installed.";
  if (const auto program = MissingProgram(kind)) return *program + " is not installed.";
  return std::nullopt;
}

void ExpectLastFrameOnEachPath(const CompositorKind& kind) {
  if (const auto obstacle = Obstacle(kind)) GTEST_SKIP() << *obstacle;
  std::string why;
  const auto compositor = Compositor::Start(kind, why);
  ASSERT_NE(compositor, nullptr) << why;
  for (const char* path : {"direct", "two-copy"}) {
    SCOPED_TRACE(path);
    ExpectLastFrame(*compositor, path);
  }
}

TEST(Compositors, Sway_ShowsTheLastFrameInEveryPixel) { ExpectLastFrameOnEachPath(Sway()); }
TEST(Compositors, WestonWithPixman_ShowsTheLastFrameInEveryPixel) { ExpectLastFrameOnEachPath(WestonPixman()); }
TEST(Compositors, WestonWithGl_ShowsTheLastFrameInEveryPixel) { ExpectLastFrameOnEachPath(WestonGl()); }
TEST(Compositors, Kwin_ShowsTheLastFrameInEveryPixel) { ExpectLastFrameOnEachPath(Kwin()); }

class KmsCompositors : public testing::Test {
 protected:
  static void Expect(const std::string& driver, const std::string& screen) {
    const auto card = CardOf(driver);
    if (!card) GTEST_SKIP() << "No DRM card has the driver " << driver << "; scripts/vm.sh has one.";
    if (!screen.empty() && std::getenv("TANDEM_VM_SCREENDUMP") == nullptr)
      GTEST_SKIP() << "The screen of " << driver << " is not emulated.";
    ExpectLastFrameOnEachPath(WestonOnCard(*card, screen));
  }
};

TEST_F(KmsCompositors, WestonOnVkms_ShowsTheLastFrameInEveryPixel) { Expect("vkms", ""); }
TEST_F(KmsCompositors, WestonOnVirtioGpu_TheScreenHasTheLastFrameInEveryPixel) { Expect("virtio_gpu", "virtio-gpu"); }

}  // namespace
}  // namespace tandem::test
