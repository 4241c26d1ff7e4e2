// Compares a window's pixels, read from the X server, with the painted frame.
#include <cstring>

#include <gtest/gtest.h>

#include "color/blit.h"
#include "link/surface/link_surface.h"
#include "tests/integration/linked_pattern.h"
#include "tests/integration/painted_window.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"
#include "tests/programs/pattern.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kWindowFrames = 12;

struct Pair {
  VulkanDriver render;
  std::string display;
};

// Each Vulkan driver with the soft adapter, with itself, and with the other driver.
std::vector<Pair> Pairs() {
  std::vector<Pair> pairs;
  for (const VulkanDriver& render : VulkanDrivers()) {
    pairs.push_back({render, "soft"});
    for (const VulkanDriver& display : VulkanDrivers()) pairs.push_back({render, display.selector});
  }
  return pairs;
}

// Pixels of a 24-bit window that differ from frame `number` after its encoding; the fourth byte is not shown.
std::size_t DifferentPixels(const std::vector<std::uint32_t>& shot, std::uint32_t width, std::uint32_t height,
                            std::uint32_t number, link::LinkEncoding encoding) {
  const auto expected = LinkedPattern({width, height}, number, encoding);
  std::size_t different = 0;
  for (std::size_t i = 0; i < shot.size(); ++i) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, expected.data() + i * 4, 4);
    different += (pixel & 0xFFFFFFU) != (shot[i] & 0xFFFFFFU);
  }
  return different;
}

// `words`: PaintedWindow::words.
void ExpectLastFrame(const XServer& server, const Environment& environment, const std::vector<std::string>& words,
                     std::uint32_t width, std::uint32_t height, link::LinkEncoding encoding) {
  std::size_t different = 1;
  LookAtPainted(server, environment, {words, width, height, kWindowFrames}, [&](const std::vector<std::uint32_t>& shot) {
    different = DifferentPixels(shot, width, height, kWindowFrames - 1, encoding);
    return different == 0;
  });
  EXPECT_EQ(different, 0u);
}

void ExpectLastFrameInWindow(const XServer& server, const Pair& pair, const std::string& path, std::uint32_t width,
                             std::uint32_t height, const std::string& encode = "auto",
                             link::LinkEncoding encoding = link::LinkEncoding::kPlain, const std::string& buffers = "auto",
                             const std::vector<std::string>& wrapper = {}) {
  SCOPED_TRACE(pair.render.name + " -> " + pair.display + ", " + path + ", " + encode + ", " + buffers);
  std::vector<std::string> words{"--render", pair.render.selector, "--display", pair.display, "--path", path, "--encode",
                                 encode,     "--buffers",          buffers,     "--"};
  words.insert(words.end(), wrapper.begin(), wrapper.end());
  ExpectLastFrame(server, WithDrivers(VulkanDrivers()), words, width, height, encoding);
}

// An old driver has neither timeline semaphores nor external memory: fences and bounced pages stand for them.
void ExpectOldDriverShowsWhatWasPainted(const XServer& server, const std::string& lie) {
  for (const VulkanDriver& render : VulkanDrivers()) {
    const Environment environment = WithLie(lie, {Liar(), render}).environment;
    for (const std::vector<std::string>& further : {std::vector<std::string>{},
                                                    {"--path", "cpu"},
                                                    {"--buffers", "3,2,2"},
                                                    {"--path", "compressed", "--encode", "lossless"}}) {
      std::vector<std::string> words{"--render", "1", "--display", "0"};
      words.insert(words.end(), further.begin(), further.end());
      words.emplace_back("--");
      SCOPED_TRACE(lie + ", " + render.name + (further.empty() ? "" : ", " + further.back()));
      ExpectLastFrame(server, environment, words, 333, 251, link::LinkEncoding::kPlain);
    }
  }
}

TEST(Window, DisplayAdapterOfVulkan11_ShowsWhatWasPainted) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  ExpectOldDriverShowsWhatWasPainted(*server, "vulkan-1.1");
}

// Neither UUIDs nor shaders beyond SPIR-V 1.0: the identity is made of the device's properties, and the processor converts.
TEST(Window, DisplayAdapterOfVulkan10_ShowsWhatWasPainted) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  ExpectOldDriverShowsWhatWasPainted(*server, "vulkan-1.0");
  ExpectOldDriverShowsWhatWasPainted(*server, "vulkan-1.0-uuid");
}

TEST(Window, EveryPairOfAdapters_ShowsWhatWasPainted) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const Pair& pair : Pairs()) ExpectLastFrameInWindow(*server, pair, "auto", 640, 480);
}

TEST(Window, EveryPairOfAdapters_ShowsWhatCrossedLosslessly) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const Pair& pair : Pairs()) ExpectLastFrameInWindow(*server, pair, "compressed", 333, 251, "lossless");
}

TEST(Window, EveryPairOfAdapters_ShowsWhatCrossedToPrimariesInTurn) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const Pair& pair : Pairs()) {
    ExpectLastFrameInWindow(*server, pair, "compressed", 333, 251, "lossless", link::LinkEncoding::kPlain, "2,3,2");
  }
}

TEST(Window, BetweenTwoVulkanDrivers_ShowsWhatEachEncodingMakesOfIt) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const auto drivers = VulkanDrivers();
  if (drivers.size() < 2) GTEST_SKIP() << "There is one Vulkan driver here.";
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    if (!link::IsBuilt(encoding)) continue;
    const std::string name(ToString(encoding));
    ExpectLastFrameInWindow(*server, {drivers[0], drivers[1].selector}, "compressed", 332, 251, name, encoding);
    ExpectLastFrameInWindow(*server, {drivers[1], drivers[0].selector}, "compressed", 332, 251, name, encoding);
  }
}

TEST(Window, OddSizeAndEachPathOfTheSoftAdapter_ShowsWhatWasPainted) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const VulkanDriver& driver : VulkanDrivers()) {
    for (const char* path : {"one-copy", "two-copy", "cpu"}) ExpectLastFrameInWindow(*server, {driver, "soft"}, path, 333, 251);
  }
}

TEST(Window, SharedPagesRefused_ShowsWhatWasPainted) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const std::vector<std::string> sandbox{Program("tandem_without_memfd")};
  const std::vector<std::string> no_files{"env", kNoMesaCache, "prlimit", "--fsize=0"};
  const std::vector<std::string> small_files{"env", kNoMesaCache, "prlimit", "--fsize=65536"};
  for (const VulkanDriver& driver : VulkanDrivers()) {
    for (const auto& wrapper : {sandbox, no_files, small_files}) {
      ExpectLastFrameInWindow(*server, {driver, "soft"}, "auto", 333, 251, "auto", link::LinkEncoding::kPlain, "auto", wrapper);
    }
  }
}

TEST(Window, SeveralAtOnceAndResized_AllFramesArePresented) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("DISPLAY", server->display());
  run.options = {"--display", "soft"};
  run.program = {Program("tandem_paint"), "--xcb", "--windows", "3", "--frames", "20", "--size", "320x240,200x333,640x480"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object());
  EXPECT_EQ(result.stats["frames_presented"], 3 * 3 * 20);
}

// Pixels of the window that differ from the frame's, stretched by nearest neighbours.
std::size_t DifferentWhenStretched(const std::vector<std::uint32_t>& shot, std::uint32_t width, std::uint32_t height,
                                   std::uint32_t frame_width, std::uint32_t frame_height) {
  std::vector<std::byte> frame(std::size_t{frame_width} * frame_height * 4);
  FillPattern(frame, frame_width, frame_height, 4, kWindowFrames - 1);
  std::size_t different = 0;
  for (std::size_t i = 0; i < shot.size(); ++i) {
    const std::size_t x = color::StretchedPosition(static_cast<std::uint32_t>(i % width), frame_width, width);
    const std::size_t y = color::StretchedPosition(static_cast<std::uint32_t>(i / width), frame_height, height);
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, frame.data() + (y * frame_width + x) * 4, 4);
    different += (pixel & 0xFFFFFFU) != (shot[i] & 0xFFFFFFU);
  }
  return different;
}

TEST(Window, FramesOfAnotherSize_AreStretchedBySoftAdapterOnEachPath) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const VulkanDriver& driver : VulkanDrivers()) {
    for (const char* path : {"auto", "one-copy", "two-copy", "cpu"}) {
      SCOPED_TRACE(driver.name + ", " + path);
      std::size_t different = 1;
      const std::vector<std::string> words{"--render", driver.selector, "--display", "soft", "--path", path, "--"};
      LookAtPainted(*server, WithDrivers(VulkanDrivers()), {words, 333, 251, kWindowFrames, "120x300"},
                    [&](const std::vector<std::uint32_t>& shot) {
                      different = DifferentWhenStretched(shot, 333, 251, 120, 300);
                      return different == 0;
                    });
      EXPECT_EQ(different, 0u);
    }
  }
}

TEST(Window, VulkanDisplayAdapter_StretchesNoFramesAndSaysSo) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  for (const VulkanDriver& driver : VulkanDrivers()) {
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("DISPLAY", server->display());
    run.options = {"--render", driver.selector, "--display", driver.selector};
    run.program = {Program("tandem_paint"), "--xcb", "--size", "120x300", "--stretch", "333x251"};
    const TandemResult result = RunTandem(run);
    EXPECT_NE(result.process.err.find("The surface stretches no frames."), std::string::npos) << result.process.err;
  }
}

// The adapter's full name, which mpv requires for a CPU device.
std::string AdapterName(const VulkanDriver& driver) {
  const ProcessResult listed = RunProcess({TANDEM_COMMAND, "adapters", "--json"}, WithDrivers(VulkanDrivers()), 20000);
  const auto json = nlohmann::json::parse(listed.out, nullptr, false);
  if (!json.is_object()) return "";
  for (const auto& adapter : json["adapters"]) {
    const auto name = adapter["name"].get<std::string>();
    if (name.find(driver.selector) != std::string::npos) return name;
  }
  return "";
}

class RealProgram : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(RealProgram, InAWindow_PresentsAndEndsWell) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (RunProcess({"sh", "-c", "command -v " + GetParam()[0]}, {}, 5000).exit_code != 0)
    GTEST_SKIP() << GetParam()[0] << " is not installed.";
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("DISPLAY", server->display());
    run.options = {"--render", driver.selector};
    run.program = GetParam();
    for (std::string& argument : run.program) {
      if (const auto at = argument.find("{name}"); at != std::string::npos) argument.replace(at, 6, AdapterName(driver));
    }
    const TandemResult result = RunTandem(run);
    EXPECT_FALSE(result.process.timed_out);
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    ASSERT_TRUE(result.stats.is_object());
    EXPECT_GE(result.stats["frames_shown"].get<int>(), 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Debian, RealProgram,
                         testing::Values(std::vector<std::string>{"vkcube", "--c", "20"},
                                         std::vector<std::string>{"vkcubepp", "--c", "20"},
                                         std::vector<std::string>{"mpv", "--no-config", "--vulkan-device={name}", "--vo=gpu",
                                                                  "--gpu-api=vulkan", "--gpu-context=x11vk", "--gpu-sw",
                                                                  "--length=1", "--no-audio",
                                                                  "av://lavfi:testsrc=size=320x240:rate=30"}));

}  // namespace
}  // namespace tandem::test
