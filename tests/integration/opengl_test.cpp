// Programs of OpenGL through `tandem run`: zink draws, and Tandem shows.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/process.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"
#include "tests/programs/pattern.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kWidth = 64, kHeight = 48, kDrawnFrames = 24;
// Most frames on their way: a picture in each image, shared buffer and primary.
constexpr std::uint32_t kOnTheirWay = 12;

// Red and blue change places: the program draws RGBA, and a window has BGRA. X11 windows have no alpha.
std::uint32_t ShownPixel(std::uint32_t drawn) { return (drawn & 0xFF00) | ((drawn & 0xFF) << 16) | ((drawn >> 16) & 0xFF); }

// The number of the frame of tandem_gl that this is, in every pixel, or -1.
int NumberOf(const RawFrame& frame) {
  if (frame.width != kWidth || frame.height != kHeight || frame.pixels.size() != std::size_t{4} * kWidth * kHeight) return -1;
  std::vector<std::uint32_t> pixels(std::size_t{kWidth} * kHeight);
  std::memcpy(pixels.data(), frame.pixels.data(), frame.pixels.size());
  const std::uint32_t number = ShownPixel(pixels[0] & 0xFFFFFF);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      if ((pixels[y * kWidth + x] & 0xFFFFFF) != ShownPixel(PatternWord(number, x, y))) return -1;
    }
  }
  return static_cast<int>(number);
}

// Frames from the first one on, each once. zink ends without a wait for those that are on their way.
void ExpectFramesFromTheFirst(const std::vector<int>& numbers) {
  EXPECT_GE(numbers.size(), kDrawnFrames - kOnTheirWay);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<int>(i));
}

class OpenGlProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(Program("tandem_gl"))) GTEST_SKIP() << "libegl-dev or libgles-dev is not installed.";
    if (VulkanDrivers().empty() || VulkanDrivers().front().name != "lavapipe") GTEST_SKIP() << "lavapipe is not installed.";
    server_ = XServer::Start(XServer::Glx::kWith);
    if (server_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  }

  [[nodiscard]] Environment EnvironmentHere() const {
    Environment environment = WithDrivers({VulkanDrivers().front()});
    environment.emplace_back("DISPLAY", server_->display());
    return environment;
  }
  [[nodiscard]] TandemResult Run(std::vector<std::string> options, const std::vector<std::string>& program) const {
    options.insert(options.end(), {"--render", "llvmpipe", "--display", "soft"});
    return RunTandem({options, program, EnvironmentHere()});
  }
  // The frames of tandem_gl that a run with these options showed; -1 for one with a wrong pixel.
  [[nodiscard]] std::vector<int> Shown(std::vector<std::string> options) const {
    const ScratchFolder scratch;
    options.insert(options.end(), {"--output", "raw:" + scratch.File("frames")});
    const TandemResult result = Run(options, {Program("tandem_gl"), "--frames", std::to_string(kDrawnFrames)});
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    EXPECT_NE(result.process.out.find("zink"), std::string::npos) << result.process.out;
    EXPECT_EQ(result.process.err.find("ATTENTION"), std::string::npos)
        << "Mesa says more than without Tandem: " << result.process.err;
    EXPECT_TRUE(result.stats.is_object()) << result.process.err;
    std::vector<int> numbers;
    const auto broken = ForEachRawFrame(scratch.File("frames"), [&numbers](const RawFrame& frame) {
      const int number = NumberOf(frame);
      if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
    });
    EXPECT_FALSE(broken.has_value()) << *broken;
    return numbers;
  }

  std::unique_ptr<XServer> server_;
};

TEST_F(OpenGlProgram, ByDefault_EachFrameIsShownAsItWasDrawn) { ExpectFramesFromTheFirst(Shown({"--present-mode", "fifo"})); }

TEST_F(OpenGlProgram, BothFormsAndEachPath_ShowWhatWasDrawn) {
  for (const char* const form : {"layer", "driver"}) {
    for (const char* const path : {"direct", "one-copy", "two-copy", "cpu"}) {
      SCOPED_TRACE(std::string(form) + " " + path);
      ExpectFramesFromTheFirst(Shown({"--gl", "--present-mode", "fifo", "--as", form, "--path", path}));
    }
  }
}

TEST_F(OpenGlProgram, GlOff_ShowsNothingThroughTandem) {
  const TandemResult result = Run({"--gl=off", "--output", "headless"}, {Program("tandem_gl"), "--frames", "2"});
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.process.out.find("zink"), std::string::npos) << result.process.out;
  EXPECT_NE(result.process.err.find("OpenGL needs '--gl'"), std::string::npos) << result.process.err;
  EXPECT_TRUE(result.stats.is_null());
}

TEST_F(OpenGlProgram, ScriptAroundIt_NeedsGl) {
  const std::vector<std::string> script{"sh", "-c", Program("tandem_gl") + " --frames 2; exit $?"};
  EXPECT_EQ(Run({"--output", "headless"}, script).process.out.find("zink"), std::string::npos);
  const TandemResult asked = Run({"--gl", "--output", "headless"}, script);
  EXPECT_NE(asked.process.out.find("zink"), std::string::npos) << asked.process.err;
  EXPECT_TRUE(asked.stats.is_object());
}

TEST_F(OpenGlProgram, VulkanProgramUnderGl_ShowsItsFrames) {
  const TandemResult result = Run({"--gl", "--output", "headless"}, {Program("tandem_paint"), "--frames", "3"});
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_EQ(result.stats["frames_presented"], 3);
}

TEST_F(OpenGlProgram, Explain_SaysWhatRunDoes) {
  const auto explained = [this](const std::vector<std::string>& options, const std::string& program) {
    std::vector<std::string> argv{TANDEM_COMMAND, "explain", "--render", "llvmpipe", "--display", "soft", "--json"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {"--", program});
    return nlohmann::json::parse(RunProcess(argv, EnvironmentHere(), 120000).out, nullptr, false);
  };
  EXPECT_EQ(explained({}, Program("tandem_gl"))["gl"]["value"], "zink");
  EXPECT_EQ(explained({"--gl=off"}, Program("tandem_gl"))["gl"]["value"], "as it is");
  const auto vulkan = explained({}, Program("tandem_paint"));
  EXPECT_EQ(vulkan["gl"]["value"], "as it is");
  EXPECT_EQ(vulkan["gl"]["reason"], "It links libvulkan.so.1.");
}

TEST_F(OpenGlProgram, WithoutZink_IsRefusedOrSaid) {
  Environment environment = EnvironmentHere();
  environment.emplace_back("LIBGL_DRIVERS_PATH", "/nonexistent");
  const auto said = [&environment](const std::string& option) {
    return RunProcess({TANDEM_COMMAND, "run", option, "--output", "headless", "--", Program("tandem_gl"), "--help"}, environment,
                      120000);
  };
  const ProcessResult refused = said("--gl");
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_NE(refused.err.find("libgl1-mesa-dri"), std::string::npos) << refused.err;
  const ProcessResult noted = said("--gl=auto");
  EXPECT_EQ(noted.exit_code, 0) << noted.err;
  EXPECT_NE(noted.err.find("zink is missing"), std::string::npos) << noted.err;
}

}  // namespace
}  // namespace tandem::test
