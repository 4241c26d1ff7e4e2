#include "status/stats.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "swapchain/swap_chain.h"

namespace tandem::status {
namespace {

SwapChainRecord Record(std::uint64_t shown) {
  SwapChainRecord record;
  record.width = 640;
  record.height = 480;
  record.decision.path = swapchain::Path::kOneCopy;
  record.decision.reason = "It can be scanned out.";
  record.statistics.frames_presented = shown;
  record.statistics.frames_shown = shown;
  record.statistics.full_frame_copies = static_cast<double>(shown);
  record.statistics.bytes_moved = shown * 1000;
  return record;
}

nlohmann::json Written(StatsBook& book) {
  const std::string path = testing::TempDir() + "stats_test_" + std::to_string(getpid()) + ".json";
  book.WriteJson(path, Occasion::kExit);
  std::ifstream file(path);
  std::remove(path.c_str());
  return nlohmann::json::parse(file, nullptr, false);
}

TEST(StatsBook, LiveAndFinishedSwapChains_AreSummed) {
  StatsBook book;
  const auto first = book.Open([] { return Record(10); });
  book.Close(first);
  const auto second = book.Open([] { return Record(5); });
  const auto json = Written(book);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["frames_shown"], 15);
  EXPECT_EQ(json["copies_per_frame"], 1);
  EXPECT_EQ(json["bytes_per_frame"], 1000);
  EXPECT_EQ(json["path"], "one-copy");
  EXPECT_EQ(json["swap_chains"].size(), 2u);
  book.Close(second);
}

TEST(StatsBook, HeadOfTheFile_HasSums) {
  StatsBook book;
  const auto with = [](std::uint64_t shown, std::uint64_t output_bytes, const std::vector<PresentSpan>& presents) {
    SwapChainRecord record = Record(shown);
    record.output_written_bytes = output_bytes;
    record.presents = presents;
    return record;
  };
  book.Close(book.Open([&] { return with(10, 30'000, {{1, 0, 20}, {2, 100, 110}}); }));
  book.Close(book.Open([&] { return with(5, 0, {{1, 15, 25}, {2, 110, 111}}); }));
  const auto json = Written(book);
  EXPECT_EQ(json["output_bytes_per_frame"], 2'000);
  // Five presents happened while both swap chains lived, on a shared adapter.
  EXPECT_EQ(json["ddi_presents"], 25 + 11);
  EXPECT_EQ(json["swap_chains"][0]["ddi_presents"], 30);
  EXPECT_EQ(json["swap_chains"][1]["ddi_presents"], 11);
  EXPECT_EQ(json["swap_chains"][0]["output_bytes_per_frame"], 3'000);
  EXPECT_EQ(json["swap_chains"][1]["output_bytes_per_frame"], 0);
}

// Sixty-one frames have sixty intervals; file and summary agree.
TEST(StatsBook, Rates_CountIntervals) {
  StatsBook book;
  SwapChainRecord record = Record(61);
  record.statistics.shown_ns = 1'000'000'000;
  record.wall_ns = 1'200'000'000;
  book.Close(book.Open([&] { return record; }));
  const auto json = Written(book);
  EXPECT_EQ(json["frames_per_second"], 60);
  EXPECT_EQ(json["wall_ms_per_frame"], 20);
  testing::internal::CaptureStderr();
  book.PrintSummary();
  const std::string summary = testing::internal::GetCapturedStderr();
  EXPECT_NE(summary.find("; 60.0 shown a second\n"), std::string::npos) << summary;
  EXPECT_NE(summary.find("  20.00 ms and "), std::string::npos) << summary;
  record.statistics.frames_shown = 1;
  record.statistics.shown_ns = 0;
  book.Close(book.Open([&] { return record; }));
  EXPECT_EQ(Written(book)["frames_per_second"], 0);
}

TEST(StatsBook, DriverThatCountsNothing_HasNoFigures) {
  StatsBook book;
  SwapChainRecord record = Record(10);
  record.statistics.counts_passes = false;
  book.Close(book.Open([&] { return record; }));
  const auto json = Written(book);
  EXPECT_TRUE(json["copies_per_frame"].is_null());
  EXPECT_TRUE(json["bytes_per_frame"].is_null());
  testing::internal::CaptureStderr();
  book.PrintSummary();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a driver does not count its copies"), std::string::npos);
}

TEST(StatsBook, Tiers_AreTheKernelsOrNothing) {
  StatsBook book;
  config::AdapterInfo guessed;
  guessed.tier = 2;
  book.SetAdapters(guessed, guessed);
  EXPECT_TRUE(Written(book)["adapters"]["render"]["tier"].is_null());
  SwapChainRecord record = Record(1);
  record.render_tier = 1;
  record.display_tier = 3;
  book.Close(book.Open([&] { return record; }));
  const auto json = Written(book);
  EXPECT_EQ(json["adapters"]["render"]["tier"], 1);
  EXPECT_EQ(json["adapters"]["display"]["tier"], 3);
}

TEST(StatsBook, ChangesOfTheWay_AreWrittenWithTheirReasons) {
  StatsBook book;
  SwapChainRecord record = Record(10);
  record.statistics.frames_composed = 4;
  record.events.push_back({7, swapchain::ShownBy::kComposition, "The output is turned."});
  book.Close(book.Open([&] { return record; }));
  const auto json = Written(book);
  EXPECT_EQ(json["frames_composed"], 4);
  EXPECT_EQ(json["path_events"].size(), 1u);
  EXPECT_EQ(json["swap_chains"][0]["path_events"][0]["frame"], 7);
  EXPECT_EQ(json["swap_chains"][0]["path_events"][0]["now"], "composition");
  EXPECT_EQ(json["swap_chains"][0]["path_events"][0]["reason"], "The output is turned.");
}

TEST(StatsBook, ChangesOfTheDisplay_AreWrittenAndPrinted) {
  StatsBook book;
  SwapChainRecord record = Record(10);
  record.display_changes.push_back({7, "GPU", "soft", swapchain::Path::kOneCopy, 2, 12'000'000, "It was unplugged."});
  book.Close(book.Open([&] { return record; }));
  const auto change = Written(book)["swap_chains"][0]["display_changes"][0];
  EXPECT_EQ(change["frame"], 7);
  EXPECT_EQ(change["from"], "GPU");
  EXPECT_EQ(change["to"], "soft");
  EXPECT_EQ(change["path"], "one-copy");
  EXPECT_EQ(change["frames_lost"], 2);
  EXPECT_EQ(change["pause_ms"], 12);
  EXPECT_EQ(change["reason"], "It was unplugged.");
  testing::internal::CaptureStderr();
  book.PrintSummary();
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "from frame 7 on soft shows in place of GPU, path one-copy: 2 frames lost, none shown for 12 ms\n"
                "tandem:   It was unplugged.\n"),
            std::string::npos);
}

TEST(StatsBook, FramesOverALink_AreToldByEncodingAndReason) {
  StatsBook book;
  SwapChainRecord record = Record(10);
  record.decision.path = swapchain::Path::kCompressed;
  record.emulated_link = 250'000'000;
  record.statistics.link_bytes = 40'000;
  record.statistics.frames_by_encoding = {1, 6, 3};
  record.statistics.encode_ns = 25'000'000;
  record.statistics.link_ns = 40'000'000;
  record.statistics.decode_ns = 14'000'000;
  record.statistics.decoded_frames = 7;
  record.statistics.unchanged_tiles = 250;
  record.statistics.encoding_reason = "It fits.";
  record.yuv = "bt601,limited,nearest";
  book.Close(book.Open([&] { return record; }));
  testing::internal::CaptureStderr();
  book.PrintSummary();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("3 420; 4:2:0 as bt601,limited,nearest\n"), std::string::npos);
  const auto link = Written(book)["link"];
  EXPECT_EQ(link["emulated_bytes_per_second"], 250'000'000);
  EXPECT_EQ(link["bytes_per_frame"], 4'000);
  EXPECT_EQ(link["frames"]["lossless"], 6);
  EXPECT_EQ(link["frames"]["420"], 3);
  EXPECT_EQ(link["yuv"], "bt601,limited,nearest");
  EXPECT_EQ(link["encode_ms_per_frame"], 2.5);
  EXPECT_EQ(link["link_ms_per_frame"], 4);
  EXPECT_EQ(link["decode_ms_per_frame"], 2);
  EXPECT_EQ(link["unchanged_tiles"], 0.25);
  EXPECT_EQ(link["reason"], "It fits.");
}

TEST(StatsBook, FramesThatLostBits_AreNotCalledLossless) {
  StatsBook book;
  SwapChainRecord record = Record(10);
  record.decision.path = swapchain::Path::kCompressed;
  record.frame_bytes = 2'000'000;
  record.statistics.frames_by_encoding = {0, 10, 0};
  record.statistics.lossy_frames = 7;
  book.Close(book.Open([&] { return record; }));
  const auto link = Written(book)["link"];
  EXPECT_EQ(link["frames"]["lossless"], 3);
  EXPECT_EQ(link["frames"]["lossy"], 7);
  EXPECT_EQ(link["frame_bytes"], 2'000'000);
  testing::internal::CaptureStderr();
  book.PrintSummary();
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "frames: 3 lossless, 7 in tiles that lost low bits to stay within 2000000 bytes\n"),
            std::string::npos);
}

TEST(StatsBook, APriorityThatWasNotHad_IsSaid) {
  StatsBook book;
  SwapChainRecord record = Record(10);
  record.statistics.priority_refusal = "Nice value -10 cannot be set: Permission denied.";
  book.Close(book.Open([&] { return record; }));
  EXPECT_EQ(Written(book)["priority_refusal"], record.statistics.priority_refusal);
  testing::internal::CaptureStderr();
  book.PrintSummary();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("has the program's priority: Nice value -10 cannot be set: Permission"),
            std::string::npos);
}

TEST(StatsBook, AMeasuredLink_IsNotTakenForAnEmulatedOne) {
  StatsBook book;
  SwapChainRecord record = Record(10);
  record.decision.path = swapchain::Path::kCompressed;
  record.measured_link = {2'500'000'000, 41'000};
  record.statistics.link_bytes = 40'000'000;
  record.statistics.link_timed_bytes = 40'000'000;
  record.statistics.link_ns = 20'000'000;
  record.statistics.frames_by_encoding = {0, 10, 0};
  book.Close(book.Open([&] { return record; }));
  auto link = Written(book)["link"];
  EXPECT_EQ(link["emulated_bytes_per_second"], 0);
  EXPECT_EQ(link["measured_bytes_per_second"], 2'500'000'000);
  EXPECT_EQ(link["measured_latency_ns"], 41'000);
  EXPECT_EQ(link["tracked_bytes_per_second"], 2'000'000'000);
  testing::internal::CaptureStderr();
  book.PrintSummary();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("link of 2500 MB/s after 41 us (measured, with frames 2000): 4.00 MB"),
            std::string::npos);
  // The bandwidth of an emulated link is not measured.
  record.emulated_link = 250'000'000;
  book.Close(book.Open([&] { return record; }));
  link = Written(book)["link"];
  EXPECT_EQ(link["emulated_bytes_per_second"], 250'000'000);
  EXPECT_EQ(link["tracked_bytes_per_second"], 0);
}

TEST(StatsBook, ManySwapChains_ForgetsTheOldestButKeepsTheirFrames) {
  StatsBook book;
  for (std::size_t i = 0; i < kMaxRecordedSwapChains + 3; ++i) book.Close(book.Open([] { return Record(1); }));
  const auto json = Written(book);
  EXPECT_EQ(json["frames_shown"], kMaxRecordedSwapChains + 3);
  EXPECT_EQ(json["swap_chains"].size(), kMaxRecordedSwapChains);
}

TEST(StatsBook, NoSwapChain_LeavesAnotherProcessesFile) {
  const std::string path = testing::TempDir() + "stats_test_other_" + std::to_string(getpid()) + ".json";
  std::ofstream(path) << "{\"kept\": true}";
  StatsBook book;
  book.WriteJson(path, Occasion::kExit);
  std::ifstream file(path);
  std::remove(path.c_str());
  EXPECT_TRUE(nlohmann::json::parse(file, nullptr, false).contains("kept"));
}

TEST(StatsBook, LinkInTheWay_IsNotFollowed) {
  const std::filesystem::path folder = testing::TempDir() + "stats_test_links_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "precious") << "before\n";
  const std::string path = folder / "stats.json";
  std::filesystem::create_symlink(folder / "precious", path + "." + std::to_string(getpid()));
  StatsBook book;
  book.Close(book.Open([] { return Record(3); }));
  book.WriteJson(path, Occasion::kExit);
  EXPECT_FALSE(std::filesystem::is_symlink(path));
  std::ifstream file(path);
  EXPECT_EQ(nlohmann::json::parse(file, nullptr, false)["frames_shown"], 3);
  EXPECT_EQ(std::filesystem::file_size(folder / "precious"), 7U);
  std::filesystem::remove_all(folder);
}

TEST(StatsBook, FolderThatIsNotThere_IsNotAnError) {
  StatsBook book;
  book.WriteJson("/nonexistent/folder/stats.json", Occasion::kExit);
}

}  // namespace
}  // namespace tandem::status
