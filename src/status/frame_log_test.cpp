#include "status/frame_log.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "config/setting_values.h"
#include "link/surface/link_surface.h"
#include "swapchain/frame_line.h"

namespace tandem::status {
namespace {

const FrameFormat& kTandem = FormatOf(config::FrameLogFormat::kTandem);

class FrameLogTest : public testing::Test {
 protected:
  FrameLogTest() : folder_(testing::TempDir() + "frame_log_" + std::to_string(getpid())), path_(folder_ / "frames.csv") {
    std::filesystem::create_directories(folder_);
  }
  ~FrameLogTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::vector<std::string> Lines() const {
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  [[nodiscard]] std::filesystem::path Temporary() const { return fmt::format("{}.{}", path_.string(), getpid()); }

  const std::filesystem::path folder_;
  const std::filesystem::path path_;
};

swapchain::FrameLine Shown(std::uint64_t number) {
  swapchain::FrameLine line;
  line.number = number;
  line.acquired_ns = 1'000'000;
  line.presented_ns = 2'500'000;
  line.shown_ns = 16'000'000;
  line.path = swapchain::Path::kCompressed;
  return line;
}

TEST_F(FrameLogTest, EachFrame_HasALineWithAllColumns) {
  FrameLog log;
  FrameLogRun run;
  run.render_adapter = "GPU, big";
  run.display_gpu = 2;
  run.display_adapter = "screen";
  const auto queue = log.Open(path_, kTandem, run);
  ASSERT_TRUE(queue);
  queue->link = "emulated";
  swapchain::FrameLine line = Shown(1);
  line.held = true;
  line.encoding = link::LinkEncoding::kYuv420Tiles;
  line.cause = "fits";
  line.bytes = 12345;
  line.encode_ns = 1'250'000;
  line.link_ns = 3'000'000;
  line.decode_ns = 500'000;
  line.copy = {3'000'000, 4'250'000, 4'500'000, 7'000'000};
  line.flip_queued_ns = 7'125'000;
  queue->Report(line);
  line = Shown(2);
  line.shown_ns = 0;
  queue->Report(line);
  line = Shown(3);
  line.encoding = link::LinkEncoding::kLossless;
  line.unchanged = 875;
  line.lossy = true;
  queue->Report(line);
  log.Publish();
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "swap_chain,frame,outcome,held,acquired_ms,presented_ms,shown_ms,path,shown_by,encoding,reason,link,link_bytes,"
            "encode_ms,link_ms,decode_ms,unchanged,lossy,lost_before,copy_begin_ms,copy_end_ms,link_begin_ms,link_end_ms,"
            "flip_queued_ms,render_gpu,render_adapter,display_gpu,display_adapter");
  EXPECT_EQ(lines[1],
            "1,1,shown,1,1.000,2.500,16.000,compressed,scan-out,420-tiles,fits,emulated,12345,1.250,3.000,0.500,0.000,0,0,"
            "3.000,4.250,4.500,7.000,7.125,0,GPU  big,2,screen");
  EXPECT_EQ(lines[2], "1,2,dropped,0,1.000,2.500,,compressed,,,,emulated,,,,,,,0,,,,,,,,,");
  EXPECT_EQ(lines[3], "1,3,shown,0,1.000,2.500,16.000,compressed,scan-out,lossless,,emulated,0,,,,0.875,1,0,,,,,,,,,");
  for (const std::string& text : lines) EXPECT_EQ(std::count(text.begin(), text.end(), ','), 27);
}

TEST_F(FrameLogTest, MoreThanAreWritten_AreLostAndCounted) {
  FrameQueue queue;
  for (std::uint64_t number = 1; number <= kMaxWaitingFrameLines + 7; ++number) queue.Report(Shown(number));
  FrameQueue::Entry entry;
  for (std::uint64_t number = 1; number <= kMaxWaitingFrameLines; ++number) {
    ASSERT_TRUE(queue.Take(entry));
    ASSERT_EQ(entry.line.number, number);
    ASSERT_EQ(entry.lost, 0U);
  }
  EXPECT_FALSE(queue.Take(entry));
  queue.Report(Shown(5000));
  ASSERT_TRUE(queue.Take(entry));
  EXPECT_EQ(entry.line.number, 5000U);
  EXPECT_EQ(entry.lost, 7U);
}

TEST_F(FrameLogTest, SwapChainsThatCameAndWent_AreInOneFile) {
  FrameLog log;
  const auto first = log.Open(path_, kTandem, {});
  const auto second = log.Open(path_, kTandem, {});
  first->Report(Shown(1));
  second->Report(Shown(1));
  first->Close();
  log.Publish();
  second->Report(Shown(2));
  second->Close();
  log.Publish();
  std::vector<std::string> begins;
  for (const std::string& line : Lines()) begins.push_back(line.substr(0, 3));
  EXPECT_EQ(begins, (std::vector<std::string>{"swa", "1,1", "2,1", "2,2"}));
}

TEST_F(FrameLogTest, FileThatIsThere_StaysUntilItIsReplacedWhole) {
  std::ofstream(path_) << "before\n";
  {
    FrameLog unused;
    unused.Publish();
    FrameLog log;
    const auto queue = log.Open(path_, kTandem, {});
    queue->Report(Shown(1));
    EXPECT_EQ(Lines(), std::vector<std::string>{"before"});
  }  // like a killed program: it leaves no temporary file either
  EXPECT_EQ(Lines(), std::vector<std::string>{"before"});
  EXPECT_FALSE(std::filesystem::exists(Temporary()));
}

TEST_F(FrameLogTest, LinkToAFile_StaysAndItsFileIsReplaced_ButNoLinkOfATemporaryNameIsFollowed) {
  std::ofstream(folder_ / "precious") << "before\n";
  std::ofstream(folder_ / "log") << "an older log\n";
  std::filesystem::create_symlink(folder_ / "precious", Temporary());
  std::filesystem::create_symlink(folder_ / "log", path_);
  FrameLog log;
  const auto queue = log.Open(path_, kTandem, {});
  ASSERT_TRUE(queue);
  queue->Report(Shown(1));
  log.Publish();
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(Lines().size(), 2U);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "precious"), 7U);
}

TEST_F(FrameLogTest, FolderThatIsNotThere_MeansNoLog) {
  FrameLog log;
  EXPECT_EQ(log.Open(folder_ / "none" / "frames.csv", kTandem, {}), nullptr);
  log.Publish();
}

}  // namespace
}  // namespace tandem::status
