// Every shown frame is whole, in order, and bit for bit equal to the rendered frame.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

struct Case {
  std::string path;
  std::string sizes;
  std::string format;
  std::string mode;
  std::uint32_t frames;  // per size
  bool alias = false;    // draws into images of the program's own that share the swap chain's memory
};

std::uint32_t CountSizes(const std::string& sizes) {
  return 1 + static_cast<std::uint32_t>(std::count(sizes.begin(), sizes.end(), ','));
}

// Runs the test application and checks each shown frame; returns the frame numbers in order.
std::vector<std::uint32_t> ShownNumbers(const VulkanDriver& driver, const Case& test, nlohmann::json& stats) {
  const ScratchFolder scratch;
  TandemRun run;
  run.environment = WithDrivers({driver});
  run.options = {"--render", driver.selector, "--display", "soft", "--output", "raw:" + scratch.File("frames"),
                 "--path",   test.path};
  run.program = {Program("tandem_paint"),
                 "--frames",
                 std::to_string(test.frames),
                 "--size",
                 test.sizes,
                 "--format",
                 test.format,
                 "--mode",
                 test.mode};
  if (test.alias) run.program.emplace_back("--alias");
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_FALSE(result.process.timed_out);
  stats = result.stats;
  std::vector<std::uint32_t> numbers;
  const auto broken = ForEachRawFrame(scratch.File("frames"), [&](const RawFrame& frame) {
    std::uint32_t number = 0;
    const auto wrong = CheckPattern(frame, number);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
    // A display may scan a frame out twice; the frame counts once.
    if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
  });
  EXPECT_FALSE(broken.has_value()) << *broken;
  return numbers;
}

std::vector<std::uint32_t> UpTo(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

class Frames : public testing::TestWithParam<Case> {};

TEST_P(Frames, EveryDriver_ShowsEachFrameWholeAndInOrder) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    nlohmann::json stats;
    const auto numbers = ShownNumbers(driver, GetParam(), stats);
    EXPECT_EQ(numbers, UpTo(GetParam().frames * CountSizes(GetParam().sizes)));
    if (GetParam().path != "auto" && stats.is_object()) {
      EXPECT_EQ(stats["path"], GetParam().path);
    }
  }
}

constexpr const char* kAllSizes = "1x1,17x13,333x251,640x480,1920x1080,3840x2160,64x2000";

INSTANTIATE_TEST_SUITE_P(Sizes, Frames,
                         testing::Values(Case{"one-copy", kAllSizes, "bgra8", "immediate", 6},
                                         Case{"two-copy", kAllSizes, "bgra8", "immediate", 6},
                                         Case{"auto", kAllSizes, "bgra8", "immediate", 6},
                                         Case{"cpu", "17x13,1920x1080", "bgra8", "immediate", 6}));
INSTANTIATE_TEST_SUITE_P(Formats, Frames,
                         testing::Values(Case{"one-copy", "333x251", "bgra8-srgb", "immediate", 20},
                                         Case{"one-copy", "333x251", "rgba8", "immediate", 20},
                                         Case{"one-copy", "333x251", "rgba8-srgb", "immediate", 20},
                                         Case{"one-copy", "333x251", "a2b10g10r10", "immediate", 20},
                                         Case{"one-copy", "333x251", "rgba16f", "immediate", 20},
                                         Case{"two-copy", "333x251", "rgba16f", "immediate", 20},
                                         Case{"auto", "1280x720", "a2b10g10r10", "immediate", 20},
                                         Case{"auto", "1280x720", "rgba16f", "immediate", 20}));
INSTANTIATE_TEST_SUITE_P(Modes, Frames,
                         testing::Values(Case{"one-copy", "640x480", "bgra8", "fifo", 60},
                                         Case{"auto", "640x480", "bgra8", "fifo", 60},
                                         Case{"two-copy", "640x480", "bgra8", "fifo-relaxed", 60},
                                         Case{"auto", "640x480", "bgra8", "immediate", 500}));

TEST(FramesDirect, LavapipeAtAnAlignedSize_TakesNoCopy) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  nlohmann::json stats;
  const auto numbers = ShownNumbers(drivers.front(), {"direct", "1920x1080", "bgra8", "immediate", 20}, stats);
  EXPECT_EQ(numbers, UpTo(20));
  ASSERT_TRUE(stats.is_object());
  EXPECT_EQ(stats["path"], "direct");
  EXPECT_EQ(stats["copies_per_frame"], 0);
}

TEST(FramesAlias, ImagesOverTheSwapChainsMemory_ShowWhatWasDrawnThroughThem) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    for (const char* path : {"auto", "one-copy"}) {
      SCOPED_TRACE(driver.name + " " + path);
      nlohmann::json stats;
      EXPECT_EQ(ShownNumbers(driver, {path, "640x480", "bgra8", "fifo", 10, true}, stats), UpTo(10));
    }
  }
}

TEST(FramesMailbox, FasterThanTheDisplay_DropsButNeverReorders) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    nlohmann::json stats;
    const auto numbers = ShownNumbers(driver, {"one-copy", "320x200", "bgra8", "mailbox", 400}, stats);
    ASSERT_FALSE(numbers.empty());
    for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_LT(numbers[i - 1], numbers[i]);
    ASSERT_TRUE(stats.is_object());
    EXPECT_EQ(stats["frames_presented"], 400);
    EXPECT_EQ(stats["frames_shown"], numbers.size());
    EXPECT_EQ(stats["frames_shown"].get<int>() + stats["frames_dropped"].get<int>(), 400);
  }
}

TEST(FramesStatistics, OneCopy_CountsWhatWentThroughTheContract) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  nlohmann::json stats;
  const auto numbers = ShownNumbers(drivers.front(), {"one-copy", "640x480", "bgra8", "fifo", 30}, stats);
  EXPECT_EQ(numbers.size(), 30u);
  ASSERT_TRUE(stats.is_object());
  EXPECT_EQ(stats["frames_shown"], 30);
  EXPECT_EQ(stats["frames_dropped"], 0);
  EXPECT_EQ(stats["copies_per_frame"], 1);
  // One DxgkDdiPresent for the copy and one for the flip.
  EXPECT_GE(stats["ddi_presents"].get<int>(), 60);
  EXPECT_GE(stats["bytes_per_frame"].get<double>(), 640 * 480 * 4);
  EXPECT_GT(stats["latency_ms"]["p99"].get<double>(), 0);
  for (const char* key : {"render_adapter", "display_adapter", "path_reason", "cpu_ms_per_frame", "wall_ms_per_frame"}) {
    EXPECT_TRUE(stats.contains(key)) << key;
  }
}

TEST(FramesBuffers, CountsThatWereAskedFor_AreTaken) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const auto run_with = [&](const std::vector<std::string>& options) {
    TandemRun run;
    run.environment = WithDrivers({drivers.front()});
    run.options = options;
    run.options.insert(run.options.end(), {"--display", "soft", "--output", "headless"});
    run.program = {Program("tandem_paint"), "--frames", "20", "--size", "64x48", "--mode", "fifo"};
    return RunTandem(run);
  };
  const TandemResult taken = run_with({"--path", "two-copy", "--buffers", "5,3,2"});
  EXPECT_EQ(taken.process.exit_code, 0) << taken.process.err;
  ASSERT_TRUE(taken.stats.is_object());
  EXPECT_EQ(taken.stats["swap_chains"][0]["images"], 5);
  EXPECT_EQ(taken.stats["frames_shown"], 20);
  const TandemResult encoded = run_with({"--encode", "lossless", "--buffers", "2,3,2"});
  EXPECT_EQ(encoded.process.exit_code, 0) << encoded.process.err;
  ASSERT_TRUE(encoded.stats.is_object());
  EXPECT_EQ(encoded.stats["swap_chains"][0]["path"], "compressed");
  EXPECT_EQ(encoded.stats["frames_shown"], 20);
}

TEST(FramesLog, EachFrame_StandsInTheFile) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const std::string path = testing::TempDir() + "frames_log_" + std::to_string(getpid()) + ".csv";
  std::ofstream(path) << "of an earlier run\n";
  TandemRun run;
  run.environment = WithDrivers({drivers.front()});
  run.options = {"--display", "soft",         "--output", "headless",    "--encode",
                 "lossless",  "--link-limit", "100MB/s",  "--frame-log", path};
  run.program = {Program("tandem_paint"), "--frames", "20", "--size", "64x48", "--mode", "fifo"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::filesystem::remove(path);
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_TRUE(lines[0].starts_with("swap_chain,frame,outcome,"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with("1," + std::to_string(i) + ",shown,")) << lines[i];
    EXPECT_NE(lines[i].find(",compressed,scan-out,lossless,only,emulated,"), std::string::npos) << lines[i];
  }
}

}  // namespace
}  // namespace tandem::test
