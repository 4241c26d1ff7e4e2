#include "cli/status.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "color/yuv.h"
#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"

namespace tandem::cli {
namespace {

constexpr std::int64_t kNowNs = 100'000'000'000;

status::LiveSwapChain Figures() {
  status::LiveSwapChain figures;
  figures.reported_ns = kNowNs - 100'000'000;
  figures.width = 1920;
  figures.height = 1080;
  figures.path = swapchain::Path::kCompressed;
  figures.encoding = link::LinkEncoding::kLossless;
  figures.millihertz = 59'940;
  figures.latency_ns = 21'300'000;
  figures.link_bytes_per_second = 118'200'000;
  figures.measured_link = 7'900'000'000;
  figures.emulated_link = 250'000'000;
  figures.render = "A render adapter with a name of some length (and a remark)";
  figures.display = "A display adapter with a name of some length";
  figures.path_reason =
      "A encodes into shared memory, B decodes from there into its own: the link carries 250 MB/s (emulated), plain "
      "frames would need 498 MB/s.";
  figures.encoding_reason =
      "lossless: a frame may take 16.7 ms; encoding takes 4.1, the link 8.0, decoding 2.2 ms; plain would take "
      "33.2 ms.";
  return figures;
}

status::LivePrograms Found() {
  status::LivePrograms found;
  found.programs.push_back({{4242, 1, 1}, "vkcube", {Figures()}});
  found.programs.push_back({{7654321, 1, 1}, "a-program-with-a-very-long-name", {Figures(), Figures()}});
  found.programs[1].swap_chains[0].path = swapchain::Path::kDirect;
  found.programs[1].swap_chains[0].encoding.reset();
  found.programs[1].swap_chains[0].emulated_link = 0;
  found.programs[1].swap_chains[1].reported_ns = kNowNs - 5'000'000'000;
  found.programs.push_back({{9, 1, 1}, "between", {}});
  return found;
}

TEST(StatusTable, Columns_StandBelowEachOtherAndFit) {
  const std::string text = StatusTable(Found(), kNowNs, {100, false});
  std::istringstream lines(text);
  std::string line;
  std::size_t rows = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 100U) << line;
    if (line.starts_with("         ")) continue;
    ++rows;
    EXPECT_EQ(line.size(), 80U) << line;
  }
  EXPECT_EQ(rows, 4U) << text;
  EXPECT_NE(text.find("   4242  vkcube             compressed  lossless       59.9   21.3 ms      118.2\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("Link: 250 MB/s, emulated"), std::string::npos);
  EXPECT_NE(text.find("Link: 7900 MB/s, measured"), std::string::npos);
  EXPECT_NE(text.find("Path: A encodes"), std::string::npos);
  EXPECT_NE(text.find("Encoding: lossless: a frame"), std::string::npos);
}

TEST(StatusTable, NoFramesForAWhile_IsIdle) {
  const std::string text = StatusTable(Found(), kNowNs, {100, false});
  EXPECT_NE(text.find("compressed  lossless       idle         -          -"), std::string::npos) << text;
}

TEST(StatusTable, Composition_IsSaid) {
  status::LivePrograms found = Found();
  found.programs[0].swap_chains[0].shown_by = swapchain::ShownBy::kComposition;
  EXPECT_NE(StatusTable(found, kNowNs, {100, false}).find("Path: composed for now: A encodes"), std::string::npos);
}

TEST(StatusTable, FramesIn420_AreFollowedByHowItIsMade) {
  status::LivePrograms found = Found();
  EXPECT_EQ(StatusTable(found, kNowNs, {100, false}).find("4:2:0"), std::string::npos);
  status::LiveSwapChain& chain = found.programs[0].swap_chains[0];
  chain.encoding = link::LinkEncoding::kYuv420Tiles;
  chain.yuv.coding = {color::YuvMatrix::kBt601, color::YuvRange::kLimited};
  EXPECT_NE(StatusTable(found, kNowNs, {100, false}).find("         4:2:0: bt601,limited,nearest\n"), std::string::npos);
  const auto json = nlohmann::json::parse(StatusJson(found, kNowNs, JsonShape::kLine), nullptr, false);
  EXPECT_EQ(json["programs"][0]["swap_chains"][0]["yuv"], "bt601,limited,nearest");
}

TEST(StatusTable, ALimitToFramesBytes_IsToldWithWhatItCost) {
  status::LivePrograms found = Found();
  EXPECT_EQ(StatusTable(found, kNowNs, {100, false}).find("at the most"), std::string::npos);
  found.programs[0].swap_chains[0].frame_bytes = 2'500'000;
  found.programs[0].swap_chains[0].lossy_frames = 12;
  EXPECT_NE(StatusTable(found, kNowNs, {100, false}).find("Frames have 2.5MB at the most; so far 12 lost low bits for it.\n"),
            std::string::npos);
  const auto json = nlohmann::json::parse(StatusJson(found, kNowNs, JsonShape::kLine), nullptr, false);
  EXPECT_EQ(json["programs"][0]["swap_chains"][0]["frame_bytes"], 2'500'000);
  EXPECT_EQ(json["programs"][0]["swap_chains"][0]["lossy_frames"], 12);
}

TEST(StatusTable, TheFormatThatCrosses_IsNamed) {
  status::LivePrograms found = Found();
  EXPECT_EQ(StatusTable(found, kNowNs, {100, false}).find("Frames cross as"), std::string::npos);
  found.programs[0].swap_chains[0].crossing_format = DXGI_FORMAT_B8G8R8A8_UNORM;
  EXPECT_NE(StatusTable(found, kNowNs, {100, false}).find("         Frames cross as B8G8R8A8_UNORM.\n"), std::string::npos);
  const auto json = nlohmann::json::parse(StatusJson(found, kNowNs, JsonShape::kLine), nullptr, false);
  EXPECT_EQ(json["programs"][0]["swap_chains"][0]["crossing_format"], "B8G8R8A8_UNORM");
}

TEST(StatusTable, NoProgram_IsASentence) {
  EXPECT_EQ(StatusTable({}, kNowNs, {100, false}), "No program shows frames through Tandem now.\n");
}

TEST(StatusJson, EveryFigure_IsThere) {
  status::LivePrograms found = Found();
  found.unreadable.push_back("file: It is damaged.");
  const std::string text = StatusJson(found, kNowNs, JsonShape::kLine);
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "a line";
  const auto json = nlohmann::json::parse(text, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["unreadable"][0], "file: It is damaged.");
  ASSERT_EQ(json["programs"].size(), 3U);
  EXPECT_EQ(json["programs"][0]["pid"], 4242);
  EXPECT_EQ(json["programs"][0]["program"], "vkcube");
  const auto& chain = json["programs"][0]["swap_chains"][0];
  EXPECT_EQ(chain["path"], "compressed");
  EXPECT_EQ(chain["encoding"], "lossless");
  EXPECT_EQ(chain["frames_per_second"], 59.94);
  EXPECT_EQ(chain["latency_ms"], 21.3);
  EXPECT_EQ(chain["link_bytes_per_second"], 118'200'000);
  EXPECT_EQ(chain["emulated_link_bytes_per_second"], 250'000'000);
  EXPECT_EQ(chain["measured_link_bytes_per_second"], 7'900'000'000);
  EXPECT_EQ(chain["age_ms"], 100);
  EXPECT_TRUE(chain["yuv"].is_null());
  EXPECT_TRUE(json["programs"][1]["swap_chains"][0]["encoding"].is_null());
  EXPECT_EQ(json["programs"][1]["swap_chains"][1]["frames_per_second"], 0) << "idle";
}

}  // namespace
}  // namespace tandem::cli
