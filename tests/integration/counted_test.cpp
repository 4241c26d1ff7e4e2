// Checks the copies, bytes and rates that `tandem run` reports. A program's frames have a known size, and each path to the
// screen writes a known number of bytes.
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "link/surface/link_surface.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr double kPixels = 640 * 480;
constexpr int kFrames = 30;

TandemResult Paint(const VulkanDriver& driver, std::vector<std::string> options, const std::string& display,
                   const std::vector<std::string>& further = {}) {
  TandemRun run;
  run.environment = WithDrivers({driver});
  run.environment.emplace_back("TANDEM_LINK_ENGINE", "processor");
  if (!display.empty()) run.environment.emplace_back("DISPLAY", display);
  run.options = std::move(options);
  run.options.insert(run.options.end(), {"--render", driver.selector, "--stats"});
  run.program = {Program("tandem_paint"), "--frames", std::to_string(kFrames), "--size", "640x480", "--mode", "fifo"};
  run.program.insert(run.program.end(), further.begin(), further.end());
  return RunTandem(run);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Case {
  std::string name;
  std::vector<std::string> options;
  double copies;
  double bytes;   // per pixel
  double output;  // per pixel
  bool yuv = false;
  std::string format = "bgra8";
  std::string crossing = "B8G8R8A8_UNORM";
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

class Counted : public testing::TestWithParam<Case> {};

TEST_P(Counted, EachPass_IsCountedWhereItIsDone) {
  if (GetParam().yuv && !link::IsBuilt(link::LinkEncoding::kYuv420)) GTEST_SKIP() << "4:2:0 is not in the build.";
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  std::vector<std::string> options{"--display", "soft", "--output", "headless"};
  options.insert(options.end(), GetParam().options.begin(), GetParam().options.end());
  const TandemResult result = Paint(drivers.front(), options, "", {"--format", GetParam().format});
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  const auto& stats = result.stats;
  EXPECT_EQ(stats["crossing_format"], GetParam().crossing);
  ASSERT_EQ(stats["frames_shown"], kFrames) << result.process.err;
  EXPECT_DOUBLE_EQ(stats["copies_per_frame"].get<double>(), GetParam().copies);
  EXPECT_DOUBLE_EQ(stats["bytes_per_frame"].get<double>(), GetParam().bytes * kPixels);
  EXPECT_DOUBLE_EQ(stats["output_bytes_per_frame"].get<double>(), GetParam().output * kPixels);
  // The figure counts images that were really made.
  EXPECT_GE(stats["swap_chains"][0]["images"], 2);
}

// The processor encodes; before that lavapipe's image is read, 4 bytes a pixel. The cpu path has a bounce buffer.
INSTANTIATE_TEST_SUITE_P(
    Paths, Counted,
    testing::Values(Case{"OneCopy", {"--path", "one-copy"}, 1, 4, 0}, Case{"TwoCopy", {"--path", "two-copy"}, 2, 8, 0},
                    Case{"Cpu", {"--path", "cpu"}, 2, 8, 0}, Case{"Plain", {"--encode", "plain"}, 3, 12, 0},
                    Case{"Packed", {"--encode", "packed"}, 3, 11, 0}, Case{"Bc1", {"--encode", "bc1"}, 3, 8.5, 0},
                    Case{"Yuv420", {"--encode", "420", "--scan-out-nv12", "off"}, 3, 9.5, 0, true},
                    Case{"Nv12ScannedOut", {"--encode", "420", "--scan-out-nv12", "on"}, 2, 5.5, 4, true, "bgra8", "NV12"},
                    // Half floats have 8 bytes a pixel; the copy makes 4 of them.
                    Case{"OneCopyOfHalves", {"--path", "one-copy"}, 1, 4, 0, false, "rgba16f", "R10G10B10A2_UNORM"},
                    Case{"TwoCopyOfHalves", {"--path", "two-copy"}, 2, 8, 0, false, "rgba16f", "R10G10B10A2_UNORM"},
                    Case{"CpuOfHalves", {"--path", "cpu"}, 1, 4, 0, false, "rgba16f", "R10G10B10A2_UNORM"},
                    Case{"DirectHalves", {"--path", "direct"}, 0, 0, 0, false, "rgba16f", "R16G16B16A16_FLOAT"}),
    [](const auto& tested) { return tested.param.name; });

// The processor reads a software driver's half floats where they are, or copies a few rows at a time out of their image.
TEST(Counted, HalfFloatsOfEachDriver_MoveHalfTheirBytes) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  for (const VulkanDriver& driver : drivers) {
    for (const int copies : {1, 2}) {
      SCOPED_TRACE(driver.name + (copies == 1 ? ", one-copy" : ", two-copy"));
      const TandemResult result =
          Paint(driver, {"--display", "soft", "--output", "headless", "--path", copies == 1 ? "one-copy" : "two-copy"}, "",
                {"--format", "rgba16f"});
      ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
      EXPECT_DOUBLE_EQ(result.stats["copies_per_frame"].get<double>(), copies);
      EXPECT_DOUBLE_EQ(result.stats["bytes_per_frame"].get<double>(), 4.0 * copies * kPixels);
    }
  }
}

// A picture file has eight bits. On the direct path the output converts half floats, on the others the copy that crosses: the
// file is the same, byte for byte.
TEST(CrossingFormat, HalfFloats_LookTheSameOnEveryPath) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const ScratchFolder scratch;
  std::vector<std::pair<VulkanDriver, std::string>> ways{{drivers.front(), "direct"}};
  for (const VulkanDriver& driver : drivers) {
    for (const char* path : {"one-copy", "two-copy", "cpu"}) ways.emplace_back(driver, path);
  }
  for (const char* dither : {"off", "on"}) {
    std::string expected;
    for (const auto& [driver, path] : ways) {
      SCOPED_TRACE(driver.name + ", " + path + ", dither " + dither);
      const std::string picture = scratch.File(path + ".png");
      const TandemResult result =
          Paint(driver, {"--display", "soft", "--output", "png:" + picture, "--path", path, "--dither", dither}, "",
                {"--format", "rgba16f"});
      ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
      const bool direct = path == "direct";
      EXPECT_EQ(result.stats["crossing_format"], direct ? "R16G16B16A16_FLOAT" : "B8G8R8A8_UNORM");
      EXPECT_EQ(result.stats["dithering"].get<std::string>().empty(), std::string(dither) == "off");
      const std::string bytes = ReadFile(picture);
      EXPECT_FALSE(bytes.empty());
      if (direct) expected = bytes;
      EXPECT_TRUE(bytes == expected);
    }
  }
}

// A window's server reads B, G, R: frames that cross as NV12 are decoded once, directly into the pages that it reads.
TEST(CountedWindow, Nv12_IsDecodedStraightIntoTheWindowsPages) {
  if (!link::IsBuilt(link::LinkEncoding::kYuv420)) GTEST_SKIP() << "4:2:0 is not in the build.";
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result =
      Paint(drivers.front(), {"--display", "soft", "--encode", "420", "--scan-out-nv12", "on"}, server->display(), {"--xcb"});
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["path"], "one-copy");
  EXPECT_DOUBLE_EQ(result.stats["output_bytes_per_frame"].get<double>(), 4 * kPixels);
}

// A picture decoded by a Vulkan adapter must still be copied to the window's image.
TEST(CountedWindow, VulkanDisplay_TellsWhatItsWindowTook) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const std::string& display = drivers.front().selector;
  const TandemResult plain = Paint(drivers.front(), {"--display", display, "--path", "two-copy"}, server->display(), {"--xcb"});
  ASSERT_EQ(plain.process.exit_code, 0) << plain.process.err;
  EXPECT_DOUBLE_EQ(plain.stats["copies_per_frame"].get<double>(), 2);
  EXPECT_EQ(plain.stats["output_bytes_per_frame"], 0);
  const TandemResult decoded = Paint(drivers.front(), {"--display", display, "--encode", "bc1"}, server->display(), {"--xcb"});
  ASSERT_EQ(decoded.process.exit_code, 0) << decoded.process.err;
  EXPECT_DOUBLE_EQ(decoded.stats["copies_per_frame"].get<double>(), 3);
  EXPECT_DOUBLE_EQ(decoded.stats["bytes_per_frame"].get<double>(), 8.5 * kPixels);
  // Each pixel is copied once, with its slice.
  EXPECT_DOUBLE_EQ(decoded.stats["output_bytes_per_frame"].get<double>(), 4 * kPixels);
}

// A copy and a flip for each frame, whichever swap chain of the two adapters presents it.
TEST(DdiPresents, SwapChainsThatShareAdapters_CountEachCallOnce) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  TandemRun run;
  run.environment = WithDrivers({drivers.front()});
  run.options = {"--render", drivers.front().selector, "--display", "soft", "--output", "headless", "--path", "one-copy"};
  run.program = {Program("tandem_threads"), "--threads", "4", "--frames", "20", "--mode", "fifo"};
  const TandemResult result = RunTandem(run);
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_EQ(result.stats["frames_shown"], 80) << result.process.err;
  EXPECT_EQ(result.stats["ddi_presents"], 2 * 80);
  EXPECT_EQ(result.stats["swap_chains"].size(), 4U);
}

// `tandem adapters`, which asks the kernel, reports the tiers that the figures of a run contain.
TEST(Tiers, AdaptersAndFigures_Agree) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  Process list({TANDEM_COMMAND, "adapters", "--json"}, WithDrivers({drivers.front()}));
  const ProcessResult listed = list.Wait(60000);
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  const auto adapters = nlohmann::json::parse(listed.out, nullptr, false);
  ASSERT_TRUE(adapters.is_object()) << listed.out;
  const TandemResult result = Paint(drivers.front(), {"--display", "soft", "--output", "headless"}, "");
  for (const char* role : {"render", "display"}) {
    const auto& used = result.stats["adapters"][role];
    for (const auto& adapter : adapters["adapters"]) {
      if (adapter["index"] == used["index"]) {
        EXPECT_EQ(adapter["tier"], used["tier"]) << role;
      }
    }
  }
}

// The settings forbid imports, although the device supports them.
TEST(CpuPath, ThatWasAskedFor_SaysSo) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result = Paint(drivers.front(), {"--display", "soft", "--output", "headless", "--path", "cpu"}, "");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  const auto reason = result.stats["path_reason"].get<std::string>();
  EXPECT_NE(reason.find("It was asked for."), std::string::npos) << reason;
  EXPECT_EQ(reason.find("VK_EXT_external_memory_host"), std::string::npos) << reason;
}

// A direct path needs at least three images.
TEST(Images, FewerThanThePathNeeds_AreToldAsMade) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result =
      Paint(drivers.front(), {"--display", "soft", "--output", "headless", "--path", "direct", "--buffers", "2,2,2"}, "");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_GE(result.stats["swap_chains"][0]["images"], 3);
}

}  // namespace
}  // namespace tandem::test
