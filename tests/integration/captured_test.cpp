// The encodings' figures on frames of real programs, captured here and now.
#include <filesystem>

#include <gtest/gtest.h>

#include "codec/link_surface.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr double kYuv420Ratio = 8.0 / 3.0;

// The last frame of the program as a picture; false when it could not be had.
bool Capture(const XServer& server, const std::vector<std::string>& program, const std::string& picture) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.environment.emplace_back("DISPLAY", server.display());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", "soft", "--output", "png:" + picture};
  run.program = program;
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  return std::filesystem::exists(picture);
}

TEST(Captured, FramesOfRealPrograms_AreMeasuredWithPicturesSideBySide) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (VulkanDrivers().empty()) GTEST_SKIP() << "There is no Vulkan driver here.";
  if (RunProcess({"sh", "-c", "command -v vkcube"}, {}, 5000).exit_code != 0) GTEST_SKIP() << "vkcube is not installed.";
  const ScratchFolder scratch;
  ASSERT_TRUE(Capture(*server, {"vkcube", "--c", "20"}, scratch.File("cube.png")));
  const ProcessResult result =
      RunProcess({TANDEM_COMMAND, "encodings", scratch.File("cube.png"), "--pictures", scratch.File(""), "--json"}, {}, 60000);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << result.out;
  std::size_t exact = 0;
  for (const auto& row : json["encodings"]) {
    EXPECT_EQ(row["picture"], "cube");
    if (row["encoding"] == "lossless") {
      EXPECT_TRUE(row["lossless"]);
      EXPECT_GT(row["ratio"], 3.0);
    }
    if (row["encoding"] == "420") {
      EXPECT_NEAR(row["ratio"], kYuv420Ratio, 0.01);
      EXPECT_GT(row["luma_psnr_db"], 40.0);
    }
    exact += row["lossless"] ? 1 : 0;
  }
  EXPECT_GE(exact, 2U);  // packed and lossless
  EXPECT_TRUE(std::filesystem::exists(scratch.File("cube-lossless.png")));
  EXPECT_EQ(std::filesystem::exists(scratch.File("cube-420.png")), codec::IsBuilt(codec::LinkEncoding::kYuv420));
}

}  // namespace
}  // namespace tandem::test
