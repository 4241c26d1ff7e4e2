// An adapter that is lost while a program runs: another one follows, or the same one once it is back.
#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kFramesUntilEnd = 100;
// Without a display's pace; they take longer than the adapter lives.
constexpr std::uint32_t kManyFrames = 15000;
const std::string kSoft = "Tandem software adapter";

TandemRun Paint(const std::string& display, const std::string& path, const std::string& mode, std::uint32_t frames) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", VulkanDrivers().front().selector, "--display", display, "--path", path};
  run.program = {Program("tandem_paint"), "--frames", std::to_string(frames), "--size", "64x64", "--mode", mode};
  run.limit_ms = 60000;
  return run;
}

// The numbers of the whole frames in a recording, in their order; others fail the test.
std::vector<std::uint32_t> NumbersIn(const std::string& file) {
  std::vector<std::uint32_t> numbers;
  const auto broken = ForEachRawFrame(file, [&](const RawFrame& frame) {
    std::uint32_t number = 0;
    const auto fault = CheckPattern(frame, number);
    EXPECT_FALSE(fault) << *fault;
    numbers.push_back(number);
  });
  EXPECT_FALSE(broken) << *broken;
  return numbers;
}

std::string LastLineOf(const std::string& file) {
  std::ifstream in(file);
  std::string line, last;
  while (std::getline(in, line)) last = line;
  return last;
}

struct Way {
  const char* path;
  const char* path_after;
  const char* on_lost;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.path << " " << way.on_lost; }

class DisplayIsLost : public testing::TestWithParam<Way> {};

TEST_P(DisplayIsLost, WhileFramesAreRecorded_TheRestIsRecordedWholeAndInOrder) {
  const ScratchFolder scratch;
  TandemRun run = Paint("soft", GetParam().path, "fifo", kFramesUntilEnd);
  run.options.insert(run.options.end(), {"--output", "raw:" + scratch.File("frames.raw"), "--lose", "display:500"});
  run.options.insert(run.options.end(), {"--on-lost", GetParam().on_lost, "--frame-log", scratch.File("frames.csv")});
  // A busy machine would take an encoding that leaves alpha out, which the pattern has its number in.
  if (GetParam().path == std::string("compressed")) run.options.insert(run.options.end(), {"--encode", "plain"});
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  const auto& changes = result.stats["display_changes"];
  ASSERT_EQ(changes.size(), 1U) << result.stats.dump();
  EXPECT_EQ(changes[0]["from"], kSoft);
  EXPECT_EQ(changes[0]["to"], kSoft);
  EXPECT_EQ(changes[0]["path"], GetParam().path_after);
  EXPECT_EQ(result.stats["path"], GetParam().path_after);
  EXPECT_EQ(result.stats["frames_presented"], kFramesUntilEnd);
  EXPECT_EQ(result.stats["frames_dropped"], changes[0]["frames_lost"]);
  EXPECT_NE(LastLineOf(scratch.File("frames.csv")).find("," + std::string(GetParam().path_after) + ","), std::string::npos);
  std::vector<std::uint32_t> numbers = NumbersIn(scratch.File("frames.raw"));
  const std::vector<std::uint32_t> later = NumbersIn(scratch.File("frames-1.raw"));
  ASSERT_FALSE(numbers.empty());
  ASSERT_FALSE(later.empty());
  numbers.insert(numbers.end(), later.begin(), later.end());
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(numbers.back(), kFramesUntilEnd - 1);
}

INSTANTIATE_TEST_SUITE_P(Ways, DisplayIsLost,
                         testing::Values(Way{"auto", "one-copy", "next"}, Way{"one-copy", "one-copy", "next"},
                                         Way{"two-copy", "two-copy", "next"}, Way{"compressed", "compressed", "next"},
                                         Way{"auto", "one-copy", "wait"}, Way{"compressed", "compressed", "wait"}),
                         [](const auto& way) {
                           std::string name = std::string(way.param.path) + way.param.on_lost;
                           std::erase(name, '-');
                           return name;
                         });

class WindowsDisplayIsLost : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    server_ = XServer::Start();
    if (server_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  }
  std::unique_ptr<XServer> server_;
};

TEST_P(WindowsDisplayIsLost, SoftwareAdapter_AVulkanAdapterShowsInTheWindow) {
  TandemRun run = Paint("soft", GetParam(), "fifo", kFramesUntilEnd);
  run.environment.emplace_back("DISPLAY", server_->display());
  run.options.insert(run.options.end(), {"--lose", "display:500"});
  run.program.emplace_back("--xcb");
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  ASSERT_EQ(result.stats["display_changes"].size(), 1U) << result.stats.dump();
  EXPECT_NE(result.stats["display_changes"][0]["to"], kSoft);
  EXPECT_NE(result.stats["adapters"]["display"]["name"], kSoft);
  EXPECT_EQ(result.stats["frames_dropped"], result.stats["display_changes"][0]["frames_lost"]);
}

TEST_P(WindowsDisplayIsLost, VulkanAdapter_AnotherAdapterShowsInTheWindow) {
  const std::string display = VulkanDrivers().back().selector;
  TandemRun run = Paint(display, GetParam(), "mailbox", kManyFrames);
  run.environment.emplace_back("DISPLAY", server_->display());
  run.options.insert(run.options.end(), {"--lose", "display:200"});
  run.program.emplace_back("--xcb");
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  ASSERT_EQ(result.stats["display_changes"].size(), 1U) << result.stats.dump();
  EXPECT_EQ(result.stats["frames_presented"], kManyFrames);
}

INSTANTIATE_TEST_SUITE_P(Paths, WindowsDisplayIsLost, testing::Values("auto", "two-copy", "compressed"), [](const auto& path) {
  std::string name = path.param;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace tandem::test
