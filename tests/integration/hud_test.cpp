// `tandem run --hud`: a window's pixels, read from the X server, are the painted frame around a plate of figures.
#include <cstring>

#include <gtest/gtest.h>

#include "link/surface/link_surface.h"
#include "tests/integration/linked_pattern.h"
#include "tests/integration/painted_window.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kHudFrames = 12, kWidth = 333, kHeight = 251;
// The plate of a picture of so few lines, and its colours.
constexpr std::uint32_t kPlateWidth = 138, kPlateHeight = 26;
constexpr std::uint32_t kPlate = 0x101010, kText = 0xE0E0E0, kColors = 0xFFFFFF;

struct Seen {
  std::size_t wrong = 0;  // pixels that are neither the figures nor the last frame
  std::size_t text = 0;
};

Seen LookAt(const std::vector<std::uint32_t>& shot) {
  const auto frame = LinkedPattern({kWidth, kHeight}, kHudFrames - 1, link::LinkEncoding::kPlain);
  Seen seen;
  for (std::size_t i = 0; i < shot.size(); ++i) {
    const std::uint32_t pixel = shot[i] & kColors;
    const bool inside = i % kWidth < kPlateWidth && i / kWidth < kPlateHeight;
    std::uint32_t painted = 0;
    std::memcpy(&painted, frame.data() + i * 4, sizeof(painted));
    seen.text += inside && pixel == kText ? 1 : 0;
    seen.wrong += (inside ? pixel == kPlate || pixel == kText : pixel == (painted & kColors)) ? 0 : 1;
  }
  return seen;
}

void ExpectFiguresInTheWindow(const XServer& server, const std::vector<std::string>& options) {
  std::vector<std::string> words{"--hud"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  Seen seen{1, 0};
  LookAtPainted(server, WithDrivers(VulkanDrivers()), {words, kWidth, kHeight, kHudFrames},
                [&seen](const std::vector<std::uint32_t>& shot) {
                  seen = LookAt(shot);
                  return seen.wrong == 0;
                });
  EXPECT_EQ(seen.wrong, 0U);
  EXPECT_GT(seen.text, 100U);
}

TEST(Hud, EachDisplayAdapterAndPath_ShowsTheFiguresInTheFrame) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const VulkanDriver& render : VulkanDrivers()) {
    std::vector<std::string> displays{"soft"};
    for (const VulkanDriver& display : VulkanDrivers()) displays.push_back(display.selector);
    for (const std::string& display : displays) {
      for (const std::vector<std::string>& path :
           {std::vector<std::string>{}, {"--path", "two-copy"}, {"--path", "compressed", "--encode", "lossless"}}) {
        std::vector<std::string> options{"--render", render.selector, "--display", display};
        options.insert(options.end(), path.begin(), path.end());
        SCOPED_TRACE(render.name + " -> " + display + ", " + (path.empty() ? "auto" : path[1]));
        ExpectFiguresInTheWindow(*server, options);
      }
    }
  }
}

TEST(Hud, DirectPath_IsExplainedAndRefused) {
  if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
  const auto tandem = [](const char* command, const std::vector<std::string>& options) {
    std::vector<std::string> argv{TANDEM_COMMAND, command, "--render", VulkanDrivers().front().selector,
                                  "--display",    "soft",  "--hud"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {"--", "true"});
    return RunProcess(argv, WithDrivers(VulkanDrivers()), 60000);
  };
  const ProcessResult explained = tandem("explain", {});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_NE(explained.out.find("one-copy"), std::string::npos) << explained.out;
  const ProcessResult refused = tandem("run", {"--path", "direct"});
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_NE(refused.err.find("that is the program's own image"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace tandem::test
