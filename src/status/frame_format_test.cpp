// Rows of each format, as the log writes them, against rows of the programs that they come from.
#include "status/frame_format.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "status/frame_log.h"
#include "swapchain/frame_line.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {
namespace {

constexpr std::int64_t kBegin = 7'000'000'000;

swapchain::FrameLine Frame(std::uint64_t number, double presented_ms, double shown_ms) {
  swapchain::FrameLine line;
  line.number = number;
  line.acquired_ns = kBegin;
  line.presented_ns = kBegin + static_cast<std::int64_t>(presented_ms * 1e6);
  if (shown_ms != 0) line.shown_ns = kBegin + static_cast<std::int64_t>(shown_ms * 1e6);
  return line;
}

class FrameFormatTest : public testing::Test {
 protected:
  FrameFormatTest() : path_(testing::TempDir() + "frame_format_" + std::to_string(getpid()) + ".csv") {}
  ~FrameFormatTest() override { std::filesystem::remove(path_); }
  std::shared_ptr<FrameQueue> Open(config::FrameLogFormat format) {
    return log_.Open(path_, FormatOf(format),
                     {.begin_ns = kBegin, .pid = 42, .program = "a, \"b\"", .render_adapter = "GPU, big", .driver = "Mesa 22"});
  }
  std::vector<std::string> Written() {
    log_.Publish();
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  const std::string path_;
  FrameLog log_;
};

TEST_F(FrameFormatTest, PresentMon_HasItsColumns_AndNothingThatIsNotKnown) {
  const auto queue = Open(config::FrameLogFormat::kPresentMon);
  ASSERT_TRUE(queue);
  queue->present_mode = swapchain::PresentMode::kImmediate;
  queue->Report(Frame(1, 10, 26));
  queue->Report(Frame(2, 26.5, 0));
  queue->Report(Frame(3, 43.25, 59.5));
  const auto lines = Written();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,TimeInMs,"
            "MsBetweenSimulationStart,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,"
            "MsUntilDisplayed,MsPCLatency,CPUStartTimeInMs,MsBetweenAppStart,MsCPUBusy,MsCPUWait,MsGPULatency,MsGPUTime,"
            "MsGPUBusy,MsGPUWait,MsAnimationError,AnimationTime,MsAllInputToPhotonLatency,MsClickToPhotonLatency");
  const std::string program = "\"a, \"\"b\"\"\",42,0x1,Other,-1,0,1,Other,";
  const std::string unknown = ",NA,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA";
  EXPECT_EQ(lines[1], program + "10.0000,NA,NA,NA,NA,NA,16.0000" + unknown);
  EXPECT_EQ(lines[2], program + "26.5000,NA,16.5000,NA,NA,NA,NA" + unknown);
  EXPECT_EQ(lines[3], program + "43.2500,NA,16.7500,33.5000,NA,NA,16.2500" + unknown);
  EXPECT_EQ(std::ranges::count(lines[3], ','), std::ranges::count(lines[0], ',') + 1);  // one in the quotes
}

TEST_F(FrameFormatTest, PresentMon_FlippedDisplay_IsAnIndependentFlip) {
  const auto queue = Open(config::FrameLogFormat::kPresentMon);
  queue->whole_display = true;
  queue->Report(Frame(1, 10, 26));
  EXPECT_NE(Written()[1].find(",0x1,Other,-1,0,0,Hardware: Independent Flip,10.0000,"), std::string::npos);
}

TEST_F(FrameFormatTest, LineThatIsMissingBefore_LeavesTimesSinceItUnknown) {
  LoggedChain chain;
  const auto add = [&chain](const swapchain::FrameLine& line, std::uint64_t lost) {
    const FrameQueue::Entry entry{line, lost};
    const std::pair since(chain.SincePresent(line), chain.SinceShown(entry));
    chain.Follow(entry);
    return since;
  };
  const auto ms = [](std::int64_t count) { return count * 1'000'000; };
  EXPECT_EQ(add(Frame(1, 10, 20), 0), std::pair(ms(0), ms(0)));
  EXPECT_EQ(add(Frame(2, 15, 25), 0), std::pair(ms(5), ms(5)));
  EXPECT_EQ(add(Frame(5, 30, 40), 2), std::pair(ms(0), ms(0)));
  EXPECT_EQ(add(Frame(6, 32, 0), 0), std::pair(ms(2), ms(0)));
  EXPECT_EQ(add(Frame(7, 35, 50), 0), std::pair(ms(3), ms(10)));
  EXPECT_EQ(add(Frame(9, 40, 0), 1), std::pair(ms(0), ms(0)));
  EXPECT_EQ(add(Frame(10, 44, 60), 0), std::pair(ms(4), ms(0)));
}

TEST_F(FrameFormatTest, MangoHud_HasTheMachineAndALineForEachFrameButTheFirst) {
  const auto queue = Open(config::FrameLogFormat::kMangoHud);
  queue->Report(Frame(1, 10, 26));
  queue->Report(Frame(2, 26, 0));
  queue->Report(Frame(3, 36, 59.5));
  const auto lines = Written();
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0], "os,cpu,gpu,ram,kernel,driver,cpuscheduler");
  EXPECT_EQ(std::ranges::count(lines[1], ','), 6);
  EXPECT_NE(lines[1].find(",GPU  big,"), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(",Mesa 22,"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2],
            "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,"
            "ram_used,swap_used,process_rss,cpu_mhz,elapsed");
  EXPECT_EQ(lines[3], "62.500,16.0000,,,,,,,,,,,,,,26000000");
  EXPECT_EQ(lines[4], "100.000,10.0000,,,,,,,,,,,,,,36000000");
  EXPECT_EQ(std::ranges::count(lines[3], ','), std::ranges::count(lines[2], ','));
}

}  // namespace
}  // namespace tandem::status
