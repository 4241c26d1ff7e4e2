// The encodings' figures on frames of real programs, captured here and now.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "codec/link_surface.h"
#include "outputs/headless/png_file.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr double kYuv420Ratio = 8.0 / 3.0;

constexpr std::uint32_t kGearsExtent = 300;

bool IsHere(const std::string& program) { return RunProcess({"sh", "-c", "command -v " + program}, {}, 5000).exit_code == 0; }

// The last frame of vkcube.
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

// A frame of glxgears as its window shows it: OpenGL, which Mesa's zink renders by Vulkan.
void CaptureGears(const XServer& server, const ScratchFolder& scratch, const std::string& picture) {
  const VulkanDriver driver = VulkanDrivers().front();
  Environment environment = WithDrivers({driver});
  environment.emplace_back("DISPLAY", server.display());
  environment.emplace_back("MESA_LOADER_DRIVER_OVERRIDE", "zink");
  environment.emplace_back("LIBGL_ALWAYS_SOFTWARE", "1");
  Process gears({TANDEM_COMMAND, "run", "--stats-json", scratch.File("gears.json"), "--render", driver.selector, "--display",
                 "soft", "--encode", "lossless", "--", "glxgears"},
                environment);
  std::vector<std::uint32_t> shot;
  const auto drawn = [&shot] {
    return std::any_of(shot.begin(), shot.end(), [](auto pixel) { return (pixel & 0xFFFFFF) != 0; });
  };
  for (int attempt = 0; attempt < 300 && !drawn(); ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    shot = Screenshot(server.display(), kGearsExtent, kGearsExtent);
  }
  const Environment on_screen = {{"DISPLAY", server.display()}};
  static_cast<void>(RunProcess({"xdotool", "search", "--name", "glxgears", "key", "Escape"}, on_screen, 10000));
  const ProcessResult ended = gears.Wait(30000);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  ASSERT_TRUE(drawn()) << ended.err;
  std::ifstream file(scratch.File("gears.json"));
  const auto stats = nlohmann::json::parse(file, nullptr, false);
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
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (VulkanDrivers().empty()) GTEST_SKIP() << "There is no Vulkan driver here.";
  if (!IsHere("vkcube")) GTEST_SKIP() << "vkcube is not installed.";
  // What zink is told here makes Mesa take its own Vulkan driver.
  const bool gears = IsHere("glxgears") && IsHere("xdotool") && VulkanDrivers().front().name == "lavapipe";
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
    EXPECT_EQ(std::filesystem::exists(scratch.File(picture + "-420.png")), codec::IsBuilt(codec::LinkEncoding::kYuv420));
  }
  if (!gears) GTEST_SKIP() << "vkcube was captured; glxgears, xdotool or lavapipe is not installed.";
}

}  // namespace
}  // namespace tandem::test
