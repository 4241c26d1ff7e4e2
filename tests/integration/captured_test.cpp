// Figures of the encodings on frames of real programs, captured during the test.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "link/surface/link_surface.h"
#include "outputs/headless/png_file.h"
#include "outputs/headless/png_picture.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr double kYuv420Ratio = 8.0 / 3.0;

constexpr std::uint32_t kGearsExtent = 300;

bool IsHere(const std::string& program) { return RunProcess({"sh", "-c", "command -v " + program}, {}, 5000).exit_code == 0; }

// Captures the last frame of vkcube.
void CaptureCube(const XServer& server, const std::string& picture) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("DISPLAY", server.display());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "png:" + picture};
  run.program = {"vkcube", "--c", "20"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_TRUE(std::filesystem::exists(picture));
}

void Save(const std::vector<std::uint32_t>& shot, const std::string& picture) {
  auto sink = outputs::CreatePngSink(picture, MonotonicClock());
  ASSERT_TRUE(sink.ok()) << sink.error().message;
  outputs::Surface surface;
  surface.pixels = reinterpret_cast<const std::byte*>(shot.data());
  surface.width = surface.height = kGearsExtent;
  surface.pitch = kGearsExtent * 4;
  surface.format = color::Format::kB8G8R8X8Unorm;
  const auto written = (*sink)->Write(surface);
  EXPECT_TRUE(written.ok()) << written.error().message;
}

// glxgears uses OpenGL, which Mesa's zink renders with Vulkan.
bool HasGears() { return IsHere("glxgears") && IsHere("xdotool") && VulkanDrivers().front().name == "lavapipe"; }

// Runs glxgears with these options of `tandem run` until `look` finds a picture, then ends it by its own key. Returns its
// figures.
nlohmann::json RunGears(const XServer& server, const ScratchFolder& scratch, const std::vector<std::string>& options,
                        const std::function<std::vector<std::uint32_t>()>& look) {
  const VulkanDriver driver = VulkanDrivers().front();
  Environment environment = WithDrivers({driver});
  environment.emplace_back("DISPLAY", server.display());
  environment.emplace_back("vblank_mode", "0");
  std::vector<std::string> argv{TANDEM_COMMAND, "run",           "--stats-json", scratch.File("gears.json"),
                                "--render",     driver.selector, "--display",    "soft"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.insert(argv.end(), {"--", "glxgears"});
  Process gears(argv, environment);
  const auto drawn = [&look] {
    const auto pixels = look();
    return std::any_of(pixels.begin(), pixels.end(), [](auto pixel) { return (pixel & 0xFFFFFF) != 0; });
  };
  bool seen = false;
  for (int attempt = 0; attempt < 300 && !seen; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    seen = drawn();
  }
  const Environment on_screen = {{"DISPLAY", server.display()}};
  static_cast<void>(RunProcess({"xdotool", "search", "--name", "glxgears", "key", "Escape"}, on_screen, 10000));
  const ProcessResult ended = gears.Wait(30000);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(seen) << ended.err;
  std::ifstream file(scratch.File("gears.json"));
  return nlohmann::json::parse(file, nullptr, false);
}

// Captures a frame as its window shows it.
void CaptureGears(const XServer& server, const ScratchFolder& scratch, const std::string& picture) {
  std::vector<std::uint32_t> shot;
  const auto stats = RunGears(server, scratch, {"--encode", "lossless"}, [&] {
    shot = Screenshot(server.display(), kGearsExtent, kGearsExtent);
    return shot;
  });
  ASSERT_TRUE(stats.is_object());
  EXPECT_EQ(stats["path"], "compressed");
  EXPECT_GT(stats["frames_shown"], 0);
  Save(shot, picture);
}

void ExpectFigures(const nlohmann::json& json, const std::string& picture, double least_luma_db) {
  std::size_t exact = 0;
  for (const auto& row : json["encodings"]) {
    if (row["picture"] != picture) continue;
    SCOPED_TRACE(row.dump());
    if (row["encoding"] == "lossless") {
      EXPECT_TRUE(row["lossless"]);
      EXPECT_GT(row["ratio"], 3.0);
    }
    if (row["encoding"] == "420") {
      EXPECT_NEAR(row["ratio"], kYuv420Ratio, 0.01);
      EXPECT_GT(row["luma_psnr_db"], least_luma_db);
    }
    exact += row["lossless"] ? 1 : 0;
  }
  EXPECT_GE(exact, 2U) << picture;  // packed and lossless
}

TEST(Captured, FramesOfRealPrograms_AreMeasuredWithPicturesSideBySide) {
  const auto server = XServer::Start(XServer::Glx::kWith);
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (VulkanDrivers().empty()) GTEST_SKIP() << "There is no Vulkan driver here.";
  if (!IsHere("vkcube")) GTEST_SKIP() << "vkcube is not installed.";
  const bool gears = HasGears();
  const ScratchFolder scratch;
  CaptureCube(*server, scratch.File("cube.png"));
  std::vector<std::string> command{TANDEM_COMMAND, "encodings", scratch.File("cube.png")};
  if (gears) {
    ASSERT_NO_FATAL_FAILURE(CaptureGears(*server, scratch, scratch.File("gears.png")));
    command.push_back(scratch.File("gears.png"));
  }
  command.insert(command.end(), {"--pictures", scratch.File(""), "--json"});
  const ProcessResult result = RunProcess(command, {}, 60000);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << result.out;
  ExpectFigures(json, "cube", 40.0);
  if (gears) ExpectFigures(json, "gears", 35.0);
  for (const std::string picture : {"cube", "gears"}) {
    if (picture == "gears" && !gears) continue;
    EXPECT_TRUE(std::filesystem::exists(scratch.File(picture + "-lossless.png")));
    EXPECT_EQ(std::filesystem::exists(scratch.File(picture + "-420.png")), link::IsBuilt(link::LinkEncoding::kYuv420));
  }
  if (!gears) GTEST_SKIP() << "vkcube was captured; glxgears, xdotool or lavapipe is not installed.";
}

// zink draws only in its window's extent, even if the frames go to a file.
TEST(Captured, GearsIntoAFile_HaveTheExtentOfTheirWindow) {
  const auto server = XServer::Start(XServer::Glx::kWith);
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (VulkanDrivers().empty() || !HasGears()) GTEST_SKIP() << "glxgears, xdotool or lavapipe is not installed.";
  const ScratchFolder scratch;
  const std::string picture = scratch.File("gears.png");
  std::uint32_t width = 0;
  const auto stats = RunGears(*server, scratch, {"--output", "png:" + picture}, [&] {
    std::vector<std::uint32_t> pixels;
    if (const auto read = outputs::ReadPng(picture); read.ok()) {
      pixels.resize(read->pixels.size() / 4);
      std::memcpy(pixels.data(), read->pixels.data(), pixels.size() * 4);
      width = read->width;
    }
    return pixels;
  });
  EXPECT_EQ(width, kGearsExtent);
  ASSERT_TRUE(stats.is_object());
  EXPECT_EQ(stats["swap_chains"][0]["height"], kGearsExtent);
}

// Other threads draw the frames than those that detect the window's new size.
TEST(Captured, GearsInAWindowThatChangesItsSize_GoOn) {
  const auto server = XServer::Start(XServer::Glx::kWith);
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (VulkanDrivers().empty() || !HasGears()) GTEST_SKIP() << "glxgears, xdotool or lavapipe is not installed.";
  const ScratchFolder scratch;
  const Environment on_screen = {{"DISPLAY", server->display()}};
  std::vector<std::string> resize{"xdotool", "search", "--name", "glxgears"};
  for (int i = 0; i < 30; ++i) {
    const auto size = {std::to_string(kGearsExtent + i % 5 * 40), std::to_string(kGearsExtent + 100 - i % 3 * 120)};
    resize.insert(resize.end(), {"windowsize", "%1"});
    resize.insert(resize.end(), size);
    resize.insert(resize.end(), {"sleep", "0.05"});
  }
  const auto stats = RunGears(*server, scratch, {}, [&]() -> std::vector<std::uint32_t> {
    return {RunProcess(resize, on_screen, 30000).exit_code == 0 ? 1U : 0U};
  });
  ASSERT_TRUE(stats.is_object());
  EXPECT_GT(stats["swap_chains"].size(), 3U);
}

}  // namespace
}  // namespace tandem::test
