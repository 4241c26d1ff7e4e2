// tandem run --trace: each shown frame with its copy, its link and its flip, as Perfetto reads them.
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr int kTracedFrames = 20;

struct Slice {
  double begin_us = 0;
  double end_us = 0;
  int process = 0;
};
using Track = std::map<int, Slice>;  // by frame

struct Trace {
  std::map<int, nlohmann::json> adapters;  // args of their processes
  std::map<std::string, Track> tracks;     // by name
};

Trace ReadTrace(const std::string& path) {
  std::ifstream file(path);
  const auto events = nlohmann::json::parse(file, nullptr, false);
  EXPECT_TRUE(events.is_array()) << path;
  Trace trace;
  std::map<std::pair<int, int>, std::string> names;
  for (const auto& event : events) {
    const int process = event["pid"];
    const std::pair track(process, event.value("tid", 0));
    if (event["name"] == "process_name") trace.adapters[process] = event["args"];
    if (event["name"] == "thread_name") names[track] = event["args"]["name"];
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["dur"], 0) << event;
    const double begin_us = event["ts"];
    const Slice slice{begin_us, begin_us + event["dur"].get<double>(), process};
    EXPECT_TRUE(trace.tracks[names[track]].emplace(event["args"]["frame"].get<int>(), slice).second) << event;
  }
  return trace;
}

Trace TraceOfRun(const std::vector<std::string>& options) {
  const auto drivers = VulkanDrivers();
  if (drivers.empty()) return {};
  const ScratchFolder scratch;
  TandemRun run;
  run.environment = WithDrivers({drivers.front()});
  run.options = {"--display", "soft", "--output", "headless", "--trace", scratch.File("trace.json")};
  run.options.insert(run.options.end(), options.begin(), options.end());
  run.program = {Program("tandem_paint"), "--frames", std::to_string(kTracedFrames), "--size", "64x48", "--mode", "fifo"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  return ReadTrace(scratch.File("trace.json"));
}

// The copy ends before the flip is queued, and with a link the bytes have arrived by then, too.
void ExpectWholeFrames(Trace& trace, bool link) {
  ASSERT_EQ(trace.adapters.size(), 2U);
  std::set<int> gpus;
  for (const auto& [process, adapter] : trace.adapters) gpus.insert(adapter["gpu_id"].get<int>());
  EXPECT_EQ(gpus.size(), 2U);
  for (const char* name : {"program", "copy", "flip", "present to screen"})
    ASSERT_EQ(trace.tracks[name].size(), kTracedFrames) << name;
  EXPECT_EQ(trace.tracks["link"].size(), link ? kTracedFrames : 0U);
  for (const auto& [frame, flip] : trace.tracks["flip"]) {
    SCOPED_TRACE(frame);
    const Slice& program = trace.tracks["program"][frame];
    const Slice& copy = trace.tracks["copy"][frame];
    EXPECT_LE(program.end_us, copy.begin_us);
    EXPECT_LE(copy.end_us, flip.begin_us);
    EXPECT_EQ(program.process, copy.process);
    EXPECT_NE(flip.process, copy.process);
    if (!link) continue;
    const Slice& crossing = trace.tracks["link"][frame];
    EXPECT_GE(crossing.begin_us, copy.begin_us);
    EXPECT_LE(crossing.end_us, flip.begin_us);
    EXPECT_GT(crossing.end_us, crossing.begin_us);
  }
}

TEST(TraceOfARun, EachPathAndLink_EachShownFrameHasItsCopyAndItsFlip) {
  ASSERT_FALSE(VulkanDrivers().empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  for (const std::string path : {"two-copy", "one-copy"}) {
    for (const bool link : {false, true}) {
      SCOPED_TRACE(path + (link ? " over a link" : ""));
      std::vector<std::string> options{"--path", path};
      if (link) options.insert(options.end(), {"--encode", "off", "--link-limit", "100MB/s"});
      Trace trace = TraceOfRun(options);
      ASSERT_NO_FATAL_FAILURE(ExpectWholeFrames(trace, link));
    }
  }
  Trace encoded = TraceOfRun({"--encode", "lossless", "--link-limit", "100MB/s"});
  ExpectWholeFrames(encoded, true);
}

TEST(TraceOfARun, SeveralPrograms_HaveFilesOfTheirOwn_AndAKilledOneIsWhole) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const ScratchFolder scratch;
  const std::string paint = "'" + Program("tandem_paint") + "' --size 64x48 --frames ";
  TandemRun run;
  run.environment = WithDrivers({drivers.front()});
  run.options = {"--display", "soft", "--output", "headless", "--path", "two-copy", "--trace", scratch.File("%p.json")};
  run.program = {"sh", "-c",
                 paint + "100000 & " + paint + "3; until grep -qs '\"frame 40\"' " + scratch.File("$!.json.$!") +
                     "; do sleep 0.1; done; kill -9 $!; wait $!; echo $!"};
  const TandemResult result = RunTandem(run);
  const std::string killed = result.process.out.substr(0, result.process.out.find('\n'));
  EXPECT_GT(ReadTrace(scratch.File(killed + ".json")).tracks["copy"].size(), 3U) << result.process.err;
}

TEST(TraceOfARun, FolderThatIsNotThere_IsAnErrorBeforeTheProgram) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--display", "soft", "--trace", "/nowhere/trace.json"};
  run.program = {"true"};
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 125);
  EXPECT_NE(result.process.err.find("--trace: "), std::string::npos) << result.process.err;
}

}  // namespace
}  // namespace tandem::test
