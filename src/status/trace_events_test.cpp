// Traces as Perfetto reads them: their tracks, and the events of each frame.
#include "status/trace_events.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "status/frame_log.h"
#include "swapchain/frame_line.h"

namespace tandem::status {
namespace {

using nlohmann::json;

constexpr std::int64_t kMs = 1'000'000;

TraceRun RunOfAGame() {
  TraceRun run;
  run.label = "game (42)";
  run.render = {.name = "GPU \"big\"", .gpu_id = 1};
  run.display = {.name = "screen", .gpu_id = 0};
  return run;
}

TraceFrame Frame(std::uint64_t number) {
  TraceFrame frame;
  frame.swap_chain = 1;
  frame.number = number;
  const auto begin = static_cast<std::int64_t>(number) * 10 * kMs;
  frame.acquired_ns = begin;
  frame.presented_ns = begin + 5 * kMs;
  frame.copy_begin_ns = begin + 6 * kMs;
  frame.copy_end_ns = begin + 7 * kMs;
  frame.link_begin_ns = begin + 7 * kMs;
  frame.link_end_ns = begin + 9 * kMs;
  frame.flip_queued_ns = begin + 10 * kMs;
  frame.shown_ns = begin + 26 * kMs;
  frame.path = "two-copy";
  frame.shown_by = "scan-out";
  return frame;
}

json TraceWith(const std::vector<TraceFrame>& frames, const TraceRun& run) {
  std::string text;
  BeginTrace(text, run, true);
  std::map<std::uint64_t, TraceChain> chains;
  for (const TraceFrame& frame : frames) {
    AddTraceFrame(text, run.processes(), chains[frame.swap_chain], frame);
    chains[frame.swap_chain].Follow(frame);
  }
  return json::parse(text.append(kTraceEnd));
}

// Slices by the name of their track.
std::map<std::string, std::vector<json>> SlicesOf(const json& trace) {
  std::map<std::pair<int, int>, std::string> names;
  std::map<std::string, std::vector<json>> slices;
  for (const json& event : trace) {
    const std::pair track(event["pid"].get<int>(), event.value("tid", 0));
    if (event["name"] == "thread_name") names[track] = event["args"]["name"];
    if (event["ph"] == "X") slices[names.at(track)].push_back(event);
  }
  return slices;
}

TEST(TraceEvents, EachAdapter_IsAProcessWithItsGpu) {
  const json trace = TraceWith({}, RunOfAGame());
  ASSERT_EQ(trace.size(), 4U);
  EXPECT_EQ(trace[0]["args"], (json{{"name", "GPU \"big\""}, {"gpu_id", 1}}));
  EXPECT_EQ(trace[1]["args"]["labels"], "game (42)");
  EXPECT_EQ(trace[2]["args"], (json{{"name", "screen"}, {"gpu_id", 0}}));
  EXPECT_NE(trace[0]["pid"], trace[2]["pid"]);
  TraceRun alone = RunOfAGame();
  alone.display = alone.render;
  EXPECT_EQ(TraceWith({}, alone).size(), 2U);
}

TEST(TraceEvents, EachFrame_HasItsSlicesInOrder) {
  auto slices = SlicesOf(TraceWith({Frame(1), Frame(2), Frame(3)}, RunOfAGame()));
  for (const char* track : {"program", "copy", "link", "flip", "present to screen"}) {
    SCOPED_TRACE(track);
    ASSERT_EQ(slices[track].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(slices[track][i]["args"]["frame"], i + 1);
      EXPECT_GT(slices[track][i]["dur"], 0);
    }
  }
  EXPECT_EQ(slices["display"].size(), 2U);  // the end of the last one is not known
  const auto end = [](const json& slice) { return slice["ts"].get<double>() + slice["dur"].get<double>(); };
  EXPECT_EQ(slices["copy"][0]["ts"], 16'000);
  EXPECT_EQ(slices["copy"][0]["dur"], 1'000);
  EXPECT_LE(end(slices["program"][0]), slices["copy"][0]["ts"]);
  EXPECT_LE(end(slices["copy"][0]), slices["link"][0]["ts"]);
  EXPECT_LE(end(slices["link"][0]), slices["flip"][0]["ts"]);
  EXPECT_EQ(slices["copy"][0]["pid"], slices["program"][0]["pid"]);
  EXPECT_NE(slices["copy"][0]["pid"], slices["flip"][0]["pid"]);
  // Flips that overlap have tracks of their own.
  EXPECT_NE(slices["flip"][0]["tid"], slices["flip"][1]["tid"]);
  EXPECT_EQ(slices["flip"][0]["tid"], slices["flip"][2]["tid"]);
}

TEST(TraceEvents, TimesThatAreNotKnown_HaveNoSlices) {
  TraceFrame old = Frame(1);
  old.copy_begin_ns = old.copy_end_ns = old.link_begin_ns = old.link_end_ns = old.flip_queued_ns = 0;
  TraceFrame dropped = Frame(2);
  dropped.shown_ns = 0;
  const json trace = TraceWith({old, dropped}, RunOfAGame());
  auto slices = SlicesOf(trace);
  EXPECT_EQ(slices["program"].size(), 2U);
  ASSERT_EQ(slices["copy"].size(), 1U);
  EXPECT_EQ(slices["copy"][0]["args"]["frame"], 2);
  EXPECT_EQ(slices["flip"].size(), 0U);
  EXPECT_EQ(slices["display"].size(), 0U);
  EXPECT_EQ(trace.back()["name"], "frame 2 dropped");
}

TEST(TraceEvents, LinesMissing_LeaveTheDisplayUnknown) {
  TraceFrame later = Frame(9);
  later.lines_missing = true;
  EXPECT_EQ(SlicesOf(TraceWith({Frame(1), later}, RunOfAGame()))["display"].size(), 0U);
}

TEST(TraceEvents, FurtherSwapChains_HaveTracksOfTheirOwn) {
  TraceFrame other = Frame(1);
  other.swap_chain = 2;
  auto slices = SlicesOf(TraceWith({Frame(1), other}, RunOfAGame()));
  EXPECT_EQ(slices["copy"].size(), 1U);
  EXPECT_EQ(slices["copy, swap chain 2"].size(), 1U);
}

TEST(TraceLog, LinesAfterAPublish_StandBeforeTheEnd) {
  const std::string path = testing::TempDir() + "trace_" + std::to_string(getpid()) + ".json";
  FrameLog log;
  const auto queue = log.Open(path, TraceFormatOfFrames(), {});
  ASSERT_TRUE(queue);
  for (std::uint64_t number = 1; number <= 2; ++number) {
    swapchain::FrameLine line;
    line.number = number;
    line.presented_ns = static_cast<std::int64_t>(number) * kMs;
    line.copy = {line.presented_ns, line.presented_ns + 5, 0, 0};
    line.shown_ns = line.presented_ns + 9;
    queue->Report(line);
    log.Publish();
    std::ifstream file(path);
    EXPECT_EQ(SlicesOf(json::parse(file, nullptr, false))["copy"].size(), number);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace tandem::status
