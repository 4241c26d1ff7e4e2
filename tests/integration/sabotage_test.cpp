// A program whose environment fails continues, or ends, as it would without Tandem.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

TandemRun Sabotage(const std::vector<std::string>& mode, const std::string& output) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", "llvmpipe", "--display", "soft", "--output", output};
  run.program = {Program("tandem_sabotage")};
  run.program.insert(run.program.end(), mode.begin(), mode.end());
  run.limit_ms = 60000;
  return run;
}

// Counts whole frames in the stream; the test fails if one is damaged.
std::uint32_t WholeFrames(const std::string& file) {
  std::uint32_t frames = 0;
  EXPECT_EQ(ForEachRawFrame(file, [&](const RawFrame&) { ++frames; }), std::nullopt);
  return frames;
}

class ExitInHandler : public testing::TestWithParam<int> {};

TEST_P(ExitInHandler, WithALockOfTheLayerHeld_TheProgramEnds) {
  const TandemResult result = RunTandem(Sabotage({"exit-in-handler", std::to_string(GetParam())}, "headless"));
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.process.out, "exit in a handler\n");
}

INSTANTIATE_TEST_SUITE_P(Locks, ExitInHandler, testing::Range(1, 13));

class NoMemory : public testing::TestWithParam<std::string> {};

TEST_P(NoMemory, ForACopyOfAFrame_FramesAreMissingAndTheProgramGoesOn) {
  const ScratchFolder scratch;
  const TandemResult result = RunTandem(Sabotage({"no-memory"}, GetParam() + ":" + scratch.File("frames")));
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_NE(result.process.err.find("there is no memory"), std::string::npos) << result.process.err;
  EXPECT_TRUE(std::ifstream(scratch.File("frames")).is_open());
  if (GetParam() == "raw") {
    EXPECT_GT(WholeFrames(scratch.File("frames")), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Outputs, NoMemory, testing::Values("png", "y4m", "raw"),
                         [](const auto& output) { return output.param; });

TEST(Cancellation, OfAThreadThatWaitsForAnImage_TakesEffectBehindTheCall) {
  const TandemResult result = RunTandem(Sabotage({"cancel"}, "headless"));
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
}

TEST(DeviceFeatures, BehindAnUnknownStructureInMemoryThatMayOnlyBeRead_AreNotWrittenTo) {
  const TandemResult result = RunTandem(Sabotage({"const-features"}, "headless"));
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
}

std::string Quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + word + "' ";
  return text;
}

std::string Painting(const std::string& size, const std::vector<std::string>& options) {
  std::vector<std::string> words{TANDEM_COMMAND, "run", "--render", "llvmpipe", "--display", "soft"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", Program("tandem_paint"), "--frames", "20", "--size", size});
  return Quoted(words);
}

ProcessResult Shell(const std::string& command) { return RunProcess({"sh", "-c", command}, WithDrivers(VulkanDrivers()), 60000); }

class Recording : public testing::TestWithParam<std::string> {};

// A disk of five megabytes: a write fails in the middle of a frame.
TEST_P(Recording, DiskIsFull_FrameIsCutAndSaidAndTheProgramGoesOn) {
  if (geteuid() != 0) GTEST_SKIP() << "Only root mounts a small disk.";
  const ScratchFolder scratch;
  const std::string full = scratch.File("disk/frames");
  const std::string file = scratch.File("frames");
  std::filesystem::create_directory(scratch.File("disk"));
  const std::string command = "mount -t tmpfs -o size=5m tmpfs " + scratch.File("disk") + " || exit 77; " +
                              Painting("1280x720", {"--output", GetParam() + ":" + full}) + " || exit 1; cp " + full + " " + file;
  const ProcessResult result = RunProcess({"unshare", "--mount", "sh", "-c", command}, WithDrivers(VulkanDrivers()), 60000);
  if (result.exit_code == 77) GTEST_SKIP() << "This container mounts nothing.";
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("Frames are missing: " + full + " cannot be written: No space left on device"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("that could not be written"), std::string::npos) << result.err;
  if (GetParam() == "raw") {
    EXPECT_EQ(WholeFrames(file), 1U);
  } else {
    std::ifstream stream(file, std::ios::binary);
    std::string header;
    std::getline(stream, header);
    struct stat found {};
    ASSERT_EQ(stat(file.c_str(), &found), 0);
    const auto frames = static_cast<std::size_t>(found.st_size) - header.size() - 1;
    EXPECT_GT(frames, 0U);
    EXPECT_EQ(frames % (std::size_t{6} + 1280 * 720 * 3 / 2), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Outputs, Recording, testing::Values("raw", "y4m"), [](const auto& output) { return output.param; });

TEST(RecordingToAPipe, WithoutAReader_FramesAreDroppedAndTheProgramDoesNotWait) {
  const ScratchFolder scratch;
  const std::string pipe = scratch.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const ProcessResult result = Shell("exec " + Painting("320x240", {"--output", "raw:" + pipe}));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find(pipe + " has no reader"), std::string::npos) << result.err;
}

TEST(Summary, ReaderOfStandardErrorIsGone_TheProgramEndsAsItWould) {
  const ScratchFolder scratch;
  const ProcessResult result = Shell("{ " + Painting("320x240", {"--output", "headless", "--stats"}) + "; echo $? > " +
                                     scratch.File("code") + "; } 2>&1 >/dev/null | true");
  EXPECT_FALSE(result.timed_out);
  std::ifstream file(scratch.File("code"));
  int code = -1;
  file >> code;
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace tandem::test
