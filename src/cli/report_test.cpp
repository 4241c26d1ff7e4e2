// The report's files, its numbers and its page.
#include "cli/report.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/exit_codes.h"
#include "cli/report_chart.h"
#include "cli/report_page.h"
#include "cli/report_run.h"
#include "cli/report_summary.h"
#include "cli/report_trace.h"
#include "config/settings.h"

namespace tandem::cli {
namespace {

const std::string kHeader =
    "swap_chain,frame,outcome,held,acquired_ms,presented_ms,shown_ms,path,shown_by,encoding,reason,link,link_bytes,encode_ms,"
    "link_ms,decode_ms,unchanged,lossy,lost_before\n";

std::string Plain(int frame, double presented_ms, double shown_ms) {
  return fmt::format("1,{},shown,0,{:.3f},{:.3f},{:.3f},two-copy,scan-out,,,none,,,,,,,0\n", frame, presented_ms - 1,
                     presented_ms, shown_ms);
}

std::string RefusalOf(const std::string& log) {
  const auto frames = ParseFrameLog(log, "a.csv");
  return frames.ok() ? "" : frames.error().message;
}

TEST(ReportFrameLog, LinesOfTheLog_AreFrames) {
  const auto frames = ParseFrameLog(kHeader + Plain(1, 10, 26.5) + "1,2,dropped,1,11.000,27.000,,two-copy,,,,none,,,,,,,3\n" +
                                        "2,1,shown,0,1.000,30.000,47.000,compressed,composition,420-tiles,fits,emulated,12345,"
                                        "1.250,3.000,0.500,0.000,0,0\n",
                                    "a.csv");
  ASSERT_TRUE(frames.ok()) << frames.error().message;
  ASSERT_EQ(frames->size(), 3U);
  EXPECT_TRUE((*frames)[0].shown);
  EXPECT_EQ((*frames)[0].shown_ms, 26.5);
  EXPECT_FALSE((*frames)[1].shown);
  EXPECT_TRUE((*frames)[1].held);
  EXPECT_EQ((*frames)[1].lost_before, 3U);
  EXPECT_EQ((*frames)[2].swap_chain, 2U);
  EXPECT_EQ((*frames)[2].encoding, "420-tiles");
  EXPECT_EQ((*frames)[2].link_bytes, 12345);
  EXPECT_EQ((*frames)[2].link_ms, 3);
}

TEST(ReportFrameLog, BadLine_IsNamedWithItsReason) {
  EXPECT_EQ(RefusalOf(kHeader + Plain(1, 10, 26) + "1,2\n"), "a.csv:3: The line has 2 fields, the first line 19.");
  EXPECT_EQ(RefusalOf(kHeader + "1,1,shown,0,1,soon,3,direct,scan-out,,,none,,,,,,,0\n"), "a.csv:2: presented_ms is 'soon'.");
  EXPECT_EQ(RefusalOf(kHeader + "1,1,lost,0,1,2,3,direct,scan-out,,,none,,,,,,,0\n"), "a.csv:2: outcome is 'lost'.");
  EXPECT_EQ(RefusalOf(kHeader + "1,1,shown,0,1,inf,3,direct,scan-out,,,none,,,,,,,0\n"), "a.csv:2: presented_ms is 'inf'.");
  EXPECT_EQ(RefusalOf(kHeader + "1,1,shown,0,1,2,,direct,scan-out,,,none,,,,,,,0\n"), "a.csv:2: outcome and shown_ms disagree.");
  EXPECT_EQ(RefusalOf("swap_chain,frame\n1,2\n"), "a.csv:1: Column outcome is missing: this is no frame log.");
  EXPECT_EQ(RefusalOf(""), "a.csv:1: Column swap_chain is missing: this is no frame log.");
  EXPECT_EQ(RefusalOf("Application,ProcessID,SwapChainAddress\n"),
            "a.csv:1: This is a log of --frame-log-format presentmon; a report is made of logs in Tandem's own format.");
  EXPECT_EQ(RefusalOf("os,cpu,gpu,ram\n"),
            "a.csv:1: This is a log of --frame-log-format mangohud; a report is made of logs in Tandem's own format.");
}

TEST(ReportFrameLog, LastLineThatIsCut_IsLeftOut) {
  const auto frames = ParseFrameLog(kHeader + Plain(1, 10, 26) + "1,2,sho", "a.csv");
  ASSERT_TRUE(frames.ok()) << frames.error().message;
  EXPECT_EQ(frames->size(), 1U);
}

TEST(ReportFigures, TextThatIsNoJson_IsNamedByItsLine) {
  const auto broken = ParseFigures("{\n\"a\": 1,\n\"b\": ,\n}", "a.json");
  ASSERT_FALSE(broken.ok());
  EXPECT_TRUE(broken.error().message.starts_with("a.json:3: This is no JSON")) << broken.error().message;
  const auto large = ParseFigures("{\n\"a\": 1e9999\n}", "a.json");
  ASSERT_FALSE(large.ok());
  EXPECT_TRUE(large.error().message.starts_with("a.json:2: This is no JSON")) << large.error().message;
  EXPECT_FALSE(ParseFigures("{\"a\"", "a.json").ok());
  const auto other = ParseFigures("{\"a\": 1}", "a.json");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "a.json:1: The list swap_chains is missing: these are no figures of --stats-json.");
  EXPECT_TRUE(ParseFigures("{\"swap_chains\": []}", "a.json").ok());
}

TEST(ReportSummary, Column_HasTimesBetweenShownFrames) {
  ReportRun run;
  run.files = {"/x/a.csv"};
  run.frames = ParseFrameLog(kHeader + Plain(1, 1000, 1016) + Plain(3, 1040, 1056) +
                                 "1,2,dropped,1,1019.000,1020.000,,two-copy,,,,none,,,,,,,0\n" + Plain(4, 1050, 1076) +
                                 "1,5,shown,0,1.000,1090.000,1200.000,two-copy,scan-out,,,none,,,,,,,9\n",
                             "a.csv")
                   .value();
  const auto columns = ColumnsOf({run});
  ASSERT_EQ(columns.size(), 1U);
  const ReportColumn& column = columns[0];
  EXPECT_EQ(column.title, "a.csv");
  EXPECT_EQ(column.presented, 5U);
  EXPECT_EQ(column.shown, 4U);
  EXPECT_EQ(column.dropped, 1U);
  EXPECT_EQ(column.held, 1U);
  EXPECT_EQ(column.lost, 9U);
  ASSERT_EQ(column.frame_times.size(), 2U);  // that of the fifth frame is not known
  EXPECT_EQ(column.frame_times[0].value, 40);
  EXPECT_EQ(column.frame_times[1].value, 20);
  EXPECT_NEAR(column.shown_per_second, 2 / 0.06, 1e-9);
  EXPECT_EQ(column.latency_ms.most, 110);
  ASSERT_EQ(column.drops_s.size(), 1U);
  EXPECT_NEAR(column.drops_s[0], 0.02, 1e-9);
  EXPECT_NEAR(column.length_s, 0.2, 1e-9);
}

TEST(ReportSummary, SwapChainsAndFiguresAlone_AreColumns) {
  ReportRun log;
  log.files = {"a.csv", "a.json"};
  log.frames = ParseFrameLog(kHeader + Plain(1, 10, 26) + "2,1,shown,0,1,2,3,direct,scan-out,,,none,,,,,,,0\n", "a.csv").value();
  log.figures = ParseFigures(R"({"swap_chains": [], "program": "/usr/bin/vkcube", "render_adapter": "GPU"})", "a.json").value();
  ReportRun figures;
  figures.files = {"b.json"};
  figures.figures = ParseFigures(R"({"swap_chains": [], "frames_shown": 7, "frames_per_second": 59.5, "path": "direct",
                                     "latency_ms": {"p50": 3.5, "p99": 8}, "program": 5})",
                                 "b.json")
                        .value();
  const auto columns = ColumnsOf({log, figures});
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0].title, "a.csv, a.json, swap chain 1");
  EXPECT_EQ(columns[1].title, "a.csv, a.json, swap chain 2");
  EXPECT_EQ(columns[1].program, "vkcube");
  EXPECT_EQ(columns[2].shown, 7U);
  EXPECT_EQ(columns[2].latency_ms.p99, 8);
  EXPECT_EQ(columns[2].program, "");
  EXPECT_FALSE(columns[2].has_frames);
}

TEST(ReportSummary, Spread_IsOfSortedValues) {
  std::vector<double> values;
  for (int i = 100; i >= 0; --i) values.push_back(i);
  const ReportSpread spread = SpreadOf(values);
  EXPECT_EQ(spread.median, 50);
  EXPECT_EQ(spread.p99, 99);
  EXPECT_EQ(spread.most, 100);
  EXPECT_EQ(SpreadOf({}).most, 0);
}

TEST(ReportChart, ManyPoints_KeepTheHighestOfEachColumn) {
  std::vector<ReportPoint> points;
  for (int i = 0; i < 100'000; ++i) points.push_back({i / 1000.0, i == 54'321 ? 50.0 : 10.0});
  const std::string chart = LineChart({{"a", points}}, {}, {.length_s = 100, .most = 50});
  EXPECT_LT(chart.size(), 30'000U);
  EXPECT_NE(chart.find(",8.0 "), std::string::npos);  // the top of the plot
}

TEST(ReportChart, SpansThatAlternate_FillTheBar) {
  std::vector<ReportSpan> spans;
  for (int i = 0; i < 10'000; ++i) spans.push_back({i / 100.0, i % 2 == 0 ? "420" : "lossless"});
  const std::string chart = SpanChart(spans, 100, 100);
  EXPECT_NE(chart.find("<title>420</title>"), std::string::npos);
  EXPECT_LT(chart.size(), 100'000U);
  EXPECT_NE(SpanChart({{0, "direct"}}, 2, 4).find("x=\"44\" y=\"8\" width=\"280\""), std::string::npos);
}

TEST(ReportPage, TwoRuns_StandSideBySideWithoutANetwork) {
  ReportRun before, after;
  before.files = {"a<b>.csv"};
  after.files = {"after.csv"};
  before.frames = ParseFrameLog(kHeader + Plain(1, 10, 30) + Plain(2, 30, 50) + Plain(3, 50, 70), "a").value();
  after.frames = ParseFrameLog(kHeader + Plain(1, 10, 20) + Plain(2, 20, 30) + Plain(3, 30, 40), "b").value();
  const std::string page = ReportPage(ColumnsOf({before, after}));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("a<b>"), std::string::npos);
  EXPECT_NE(page.find("a&lt;b&gt;.csv"), std::string::npos);
  EXPECT_NE(page.find("<tr><td>frame time, median</td><td>20.00 ms</td><td>10.00 ms</td><td>-50.0 %</td></tr>"),
            std::string::npos);
  EXPECT_EQ(page.find("frames by encoding"), std::string::npos);
}

const std::string kLongHeader = kHeader.substr(0, kHeader.size() - 1) +
                                ",copy_begin_ms,copy_end_ms,link_begin_ms,link_end_ms,flip_queued_ms,render_gpu,render_adapter,"
                                "display_gpu,display_adapter\n";

// Track of each slice, in the order of the trace.
std::vector<std::string> TracksOf(const nlohmann::json& trace) {
  std::map<std::pair<int, int>, std::string> names;
  std::vector<std::string> tracks;
  for (const auto& event : trace) {
    const std::pair track(event["pid"].get<int>(), event.value("tid", 0));
    if (event["name"] == "thread_name") names[track] = event["args"]["name"];
    if (event["ph"] == "X") tracks.push_back(names.at(track));
  }
  return tracks;
}

TEST(ReportTrace, LogOfAnOlderTandem_HasNoTracksOfCopies) {
  ReportRun run;
  run.files = {"/x/a.csv"};
  run.frames =
      ParseFrameLog(kHeader + Plain(1, 10, 30) + Plain(2, 20, 35) + "1,3,dropped,0,21.000,22.000,,two-copy,,,,none,,,,,,,0\n" +
                        "1,4,shown,0,31.000,32.000,50.000,compressed,scan-out,420,fits,emulated,99,1.5,2.5,,0.000,0,0\n",
                    "a.csv")
          .value();
  const auto trace = nlohmann::json::parse(TraceOf({run}));
  EXPECT_EQ(trace[0]["args"], (nlohmann::json{{"name", "render adapter"}}));
  EXPECT_EQ(trace[1]["args"]["labels"], "a.csv");
  const auto tracks = TracksOf(trace);
  EXPECT_EQ(std::ranges::count(tracks, "program"), 4);
  EXPECT_EQ(std::ranges::count(tracks, "display"), 2);  // the end of the last one is not known
  EXPECT_EQ(std::ranges::count(tracks, "present to screen"), 3);
  EXPECT_EQ(tracks.size(), 9U);
  // The second frame crosses beside the first.
  const auto beside = std::ranges::find_if(trace, [](const auto& event) { return event["ph"] == "X" && event["dur"] == 15'000; });
  ASSERT_NE(beside, trace.end());
  EXPECT_EQ((*beside)["name"], "frame 2");
  EXPECT_EQ((*beside)["ts"], 20'000);
  EXPECT_EQ((*beside)["args"]["frame"], 2);
  const auto count = [&trace](const std::string& kind) {
    return std::ranges::count_if(trace, [&](const auto& event) { return event["ph"] == kind; });
  };
  EXPECT_EQ(count("i"), 1);
  EXPECT_EQ(count("C"), 2);
  EXPECT_EQ(TraceOf({}), "[]\n");
}

TEST(ReportTrace, Log_HasTheAdaptersAndTheTracksOfCopies) {
  ReportRun run;
  run.files = {"/x/a.csv"};
  run.frames =
      ParseFrameLog(kLongHeader +
                        "1,1,shown,0,9.000,10.000,26.500,two-copy,scan-out,,,none,,,,,,,0,10.500,11.250,,,11.500,1,GPU,0,"
                        "screen\n1,2,shown,0,19.000,20.000,43.000,two-copy,scan-out,,,none,,,,,,,0,20.500,21.250,,,,,,,\n",
                    "a.csv")
          .value();
  const auto trace = nlohmann::json::parse(TraceOf({run, run}));
  EXPECT_EQ(trace[0]["args"], (nlohmann::json{{"name", "GPU"}, {"gpu_id", 1}}));
  EXPECT_EQ(trace[2]["args"], (nlohmann::json{{"name", "screen"}, {"gpu_id", 0}}));
  const auto tracks = TracksOf(trace);
  EXPECT_EQ(std::ranges::count(tracks, "copy"), 4);
  EXPECT_EQ(std::ranges::count(tracks, "flip"), 2);
  EXPECT_EQ(std::ranges::count(tracks, "link"), 0);
  const auto copy = std::ranges::find_if(trace, [](const auto& event) { return event.value("ts", 0.0) == 10'500; });
  ASSERT_NE(copy, trace.end());
  EXPECT_EQ((*copy)["dur"], 750);
  EXPECT_EQ((*copy)["args"]["frame"], 1);
}

class ReportFiles : public testing::Test {
 protected:
  ReportFiles() : folder_(testing::TempDir() + "report_" + std::to_string(getpid()) + "/") {
    std::filesystem::create_directories(folder_);
  }
  ~ReportFiles() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + name) << text;
    return folder_ + name;
  }

  const std::string folder_;
};

TEST_F(ReportFiles, LogAndFiguresOfOneName_AreOneRun) {
  const std::string log = Write("a.csv", kHeader + Plain(1, 10, 26));
  const std::string figures = Write("a.json", "{\"swap_chains\": []}");
  const std::string other = Write("b.json", "{\"swap_chains\": []}");
  const auto runs = ReadRuns({other, figures, log, log});
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs->size(), 3U);
  EXPECT_EQ((*runs)[0].files, std::vector<std::string>{other});
  EXPECT_EQ((*runs)[1].files, (std::vector<std::string>{figures, log}));
  EXPECT_EQ((*runs)[1].frames.size(), 1U);
  EXPECT_EQ((*runs)[2].files, std::vector<std::string>{log});
}

TEST_F(ReportFiles, BadFile_LeavesAnOldReport) {
  const std::string page = Write("page.html", "old");
  EXPECT_EQ(MakeReport({.files = {Write("a.csv", "x\n")}, .output = page, .trace = {}}), kExitFailure);
  EXPECT_EQ(MakeReport({.files = {folder_ + "none.csv"}, .output = page, .trace = {}}), kExitFailure);
  EXPECT_EQ(MakeReport({.files = {folder_}, .output = page, .trace = {}}), kExitFailure);
  std::ifstream stream(page);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "old");
  EXPECT_EQ(MakeReport({.files = {Write("b.csv", kHeader + Plain(1, 10, 26))}, .output = page, .trace = {}}), kExitOk);
  EXPECT_GT(std::filesystem::file_size(page), 1000U);
}

TEST_F(ReportFiles, Trace_IsWrittenInPlaceOfThePage) {
  const std::string log = Write("a.csv", kHeader + Plain(1, 10, 26));
  std::filesystem::current_path(folder_);
  EXPECT_EQ(MakeReport({.files = {log}, .output = {}, .trace = folder_ + "t.json"}), kExitOk);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "t.json"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "report.html"));
  EXPECT_EQ(MakeReport({.files = {log}, .output = {}, .trace = {}}), kExitOk);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "report.html"));
  std::filesystem::current_path("/");
}

TEST_F(ReportFiles, CommandLine_NamesFilesAndPage) {
  const std::vector<const char*> arguments{"tandem", "report", "a.csv", "b.csv", "-o", "x.html"};
  const Command command = ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(), config::ReadSettingsFor);
  const auto* const report = std::get_if<ReportCommand>(&command);
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->files, (std::vector<std::string>{"a.csv", "b.csv"}));
  EXPECT_EQ(report->output, "x.html");
  EXPECT_EQ(report->trace, "");
}

}  // namespace
}  // namespace tandem::cli
