// A full Windows miniport, built by `tandem driver build` with its user-mode half and without: judged, broken, and shown through.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "tests/integration/conform_report.h"
#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr const char* kExample = TANDEM_SOURCE_DIR "/examples/virtio_gpu";
constexpr const char* kUserMode = TANDEM_SOURCE_DIR "/examples/virtio_gpu/user";

// What breaks a copy of the example: a rule that then fails, and a word of what is seen.
struct Break {
  std::string definition;
  std::string rule;
  std::string seen;
};

class FullDriver : public testing::Test {
 protected:
  // Builds another driver of the example's sources.
  void Build(const std::vector<std::string>& further) {
    file_ = scratch_.File("virtio_gpu.so");
    std::vector<std::string> argv{TANDEM_COMMAND, "driver", "build", kExample, "-o", file_};
    argv.insert(argv.end(), further.begin(), further.end());
    const ProcessResult built = RunProcess(argv, {}, 300000);
    ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  }
  [[nodiscard]] nlohmann::json Conform(const std::vector<std::string>& options) const {
    std::vector<std::string> argv{TANDEM_COMMAND, "conform", "--driver", file_, "--json", "--jobs", "2"};
    argv.insert(argv.end(), options.begin(), options.end());
    Environment environment = WithDrivers(VulkanDrivers());
    environment.emplace_back("TANDEM_LOG", "warn");  // a crash leaves its rule in the log alone
    const ProcessResult result = RunProcess(argv, environment, 600000);
    auto report = nlohmann::json::parse(result.out, nullptr, false);
    EXPECT_TRUE(report.is_object()) << result.out << result.err;
    return report;
  }
  // Options of `tandem run` that write the driver's frames into a file; without a driver, the software adapter's.
  [[nodiscard]] TandemRun Showing(const std::optional<std::string>& driver, const std::string& frames) const {
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.options = {"--render", VulkanDrivers().front().selector, "--output", "raw:" + frames};
    if (driver) {
      run.options.insert(run.options.end(), {"--display-driver", *driver});
    } else {
      run.options.insert(run.options.end(), {"--display", "soft", "--path", "two-copy"});
    }
    return run;
  }

  const ScratchFolder scratch_;
  std::string file_ = TANDEM_FULL_DRIVER;
  const std::string frames_ = scratch_.File("frames");
};

TEST_F(FullDriver, Example_EveryRuleHolds) {
  const nlohmann::json report = Conform({});
  EXPECT_EQ(report["failed"], 0) << FailedTrials(report);
  EXPECT_GT(report["passed"].get<int>(), 70) << FailedTrials(report);
  for (const auto& trial : report["trials"]) {
    const auto rule = trial["rule"].get<std::string>();
    EXPECT_TRUE(!rule.starts_with("HotPlug.") || trial["verdict"] == "pass") << trial;
  }
}

TEST_F(FullDriver, Listing_SaysThatItIsAFullDriverOnAVirtioGpu) {
  const ProcessResult listed = RunProcess({TANDEM_COMMAND, "adapters", "--driver", file_, "--json"}, {}, 60000);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  const auto report = nlohmann::json::parse(listed.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << listed.out;
  EXPECT_EQ(report["class"], "full");
  EXPECT_EQ(report["device"], "virtio GPU");
  EXPECT_EQ(report["wddm_version"], "1.3");
  EXPECT_EQ(report["vidpn_sources"], 1);
  EXPECT_EQ(report["tier"], 1);
}

TEST_F(FullDriver, OnTheLineOfItsDevice_ItStartsAndHearsOfItsMonitor) {
  const std::string registry = scratch_.File("line.toml");
  std::ofstream(registry) << "[registry.device.\"Interrupt Management\".MessageSignaledInterruptProperties]\nMSISupported = 0\n";
  const ProcessResult listed =
      RunProcess({TANDEM_COMMAND, "adapters", "--driver", file_, "--registry", registry, "--json"}, {}, 60000);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  const auto adapter = nlohmann::json::parse(listed.out, nullptr, false);
  ASSERT_TRUE(adapter.is_object()) << listed.out;
  EXPECT_EQ(adapter["device"], "virtio GPU with a line interrupt");
  const nlohmann::json report = Conform({"--registry", registry, "--filter", "HotPlug.*"});
  EXPECT_EQ(report["failed"], 0) << FailedTrials(report);
  EXPECT_GT(report["passed"].get<int>(), 0) << FailedTrials(report);
}

TEST_F(FullDriver, EachServiceThatFails_IsAnswered) {
  const nlohmann::json report = Conform({"--fail-each"});
  EXPECT_EQ(report["failed"], 0) << FailedTrials(report);
  EXPECT_GE(report["passed"].get<int>(), 20) << FailedTrials(report);
}

TEST_F(FullDriver, MemoryThatIsNotChecked_IsACrashWithTheCallsName) {
  ASSERT_NO_FATAL_FAILURE(Build({kUserMode, "-D", "UNCHECKED"}));
  const nlohmann::json report = Conform({"--fail-each"});
  EXPECT_GE(report["failed"].get<int>(), 1) << FailedTrials(report);
  for (const auto& trial : report["trials"]) {
    if (trial["verdict"] != "fail") continue;
    EXPECT_NE(trial["trial"].get<std::string>().find("ExAllocatePool2"), std::string::npos) << trial;
    EXPECT_NE(trial["seen"].get<std::string>().find("The driver crashed in DxgkDdiStartDevice"), std::string::npos) << trial;
  }
}

// Windows does not look after PAGED_CODE in a free build, and its driver works.
TEST_F(FullDriver, RuleThatWindowsLetsPass_IsBrokenAlone) {
  ASSERT_NO_FATAL_FAILURE(Build({kUserMode, "-D", "PAGED_DPC"}));
  for (const char* rules : {"Present.*", "LifeCycle.*", "Leak.*"}) {
    const nlohmann::json report = Conform({"--filter", rules});
    EXPECT_EQ(report["failed"], 1) << FailedTrials(report);
    EXPECT_GT(report["passed"].get<int>(), 2) << FailedTrials(report);
    const auto& last = report["trials"].back();
    EXPECT_EQ(last["trial"], "Nt.PagedCode on virtio_gpu");
    EXPECT_EQ(last["verdict"], "fail");
    EXPECT_EQ(last["seen"],
              "DpcRoutine runs at DISPATCH_LEVEL; its limit is APC_LEVEL. Driver.Start on virtio_gpu saw it first.");
  }
  const ProcessResult debugged = RunProcess({TANDEM_COMMAND, "conform", "--driver", file_, "--debug", "Driver.Start"}, {}, 60000);
  EXPECT_EQ(debugged.exit_code, 1) << debugged.err;
  EXPECT_NE(debugged.out.find("pass  Driver.Start"), std::string::npos) << debugged.out;
  EXPECT_NE(debugged.out.find("FAIL  Nt.PagedCode"), std::string::npos) << debugged.out;
}

class BrokenFullDriver : public FullDriver, public testing::WithParamInterface<Break> {};

TEST_P(BrokenFullDriver, BreaksTheRule) {
  ASSERT_NO_FATAL_FAILURE(Build({kUserMode, "-D", GetParam().definition}));
  const nlohmann::json report = Conform({"--filter", GetParam().rule});
  EXPECT_GE(report["failed"].get<int>(), 1) << FailedTrials(report);
  EXPECT_NE(report.dump().find(GetParam().seen), std::string::npos) << FailedTrials(report);
}

INSTANTIATE_TEST_SUITE_P(Definitions, BrokenFullDriver,
                         testing::Values(Break{"LEAK", "Leak.Unloaded", "Nt.ContiguousLeak"},
                                         Break{"PLAIN_ACCESS", "Present.ColorFill", "Nt.RegisterAccess"},
                                         Break{"LOSE_PREEMPTION", "Preemption.Answered", "preemption"},
                                         Break{"FORGET_REFERENCE", "Present.Blt.Sizes", "Present.EveryReferenceIsListed"},
                                         Break{"RECOMMEND_UNPINNED", "VidPn.Recommended", "has no pinned mode"},
                                         Break{"NEVER_INDICATE", "HotPlug.Indicated", "reports that it is connected"}),
                         [](const testing::TestParamInfo<Break>& info) { return info.param.definition; });

TEST_F(FullDriver, UnderAddressSanitizer_NothingIsFound) {
  ASSERT_NO_FATAL_FAILURE(Build({kUserMode, "--asan"}));
  for (const char* rules : {"Present.*", "Flip.*", "Screen.*", "Workload.*", "Hostile.*", "Leak.*"}) {
    const nlohmann::json report = Conform({"--filter", rules});
    EXPECT_EQ(report["failed"], 0) << FailedTrials(report);
    EXPECT_GT(report["passed"].get<int>(), 0) << rules;
  }
}

TEST_F(FullDriver, UnderThreadSanitizer_NothingIsFound) {
  ASSERT_NO_FATAL_FAILURE(Build({kUserMode, "--tsan"}));
  const nlohmann::json report = Conform({});
  for (const auto& trial : report["trials"]) EXPECT_NE(trial["rule"], "Threads.DataRace") << trial;
  // The sanitizer is slow: what has a limit of time is judged without it.
  EXPECT_GT(report["passed"].get<int>(), 70) << FailedTrials(report);
}

TEST_F(FullDriver, UnderThreadSanitizer_ARaceIsNamedOnce_BesideRulesThatHold) {
  ASSERT_NO_FATAL_FAILURE(
      Build({kUserMode, TANDEM_SOURCE_DIR "/tests/full_driver/race", "--tsan", "-D", "DriverEntry=ExampleEntry"}));
  const nlohmann::json report = Conform({"--filter", "Present.Color*"});
  EXPECT_EQ(report["failed"], 1) << FailedTrials(report);
  EXPECT_GT(report["passed"].get<int>(), 0) << FailedTrials(report);
  const auto& race = report["trials"].back();
  EXPECT_EQ(race["trial"], "Threads.DataRace on virtio_gpu");
  const auto seen = race["seen"].get<std::string>();
  EXPECT_NE(seen.find("A data race: "), std::string::npos) << seen;
  EXPECT_NE(seen.find("Race.cpp:15 in CountUp"), std::string::npos) << seen;
  EXPECT_NE(seen.find("Driver.Start on virtio_gpu saw it first."), std::string::npos) << seen;
  EXPECT_NE(seen.find("WARNING: ThreadSanitizer"), std::string::npos) << seen;  // with the accesses
}

TEST_F(FullDriver, Program_EachFrameIsShownBitForBit) {
  for (const char* size : {"640x480", "333x251"}) {
    SCOPED_TRACE(size);
    TandemRun run = Showing(file_, frames_);
    run.program = {Program("tandem_paint"), "--frames", "20", "--size", size, "--mode", "fifo"};
    const TandemResult result = RunTandem(run);
    ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
    EXPECT_EQ(result.stats["path"], "two-copy") << result.stats.dump(2);
    std::uint32_t expected = 0;
    const auto broken = ForEachRawFrame(frames_, [&](const RawFrame& frame) {
      std::uint32_t number = 0;
      const auto wrong = CheckPattern(frame, number);
      EXPECT_FALSE(wrong.has_value()) << *wrong;
      EXPECT_EQ(number, expected++);
    });
    EXPECT_FALSE(broken.has_value()) << *broken;
    EXPECT_EQ(expected, 20u);
    std::filesystem::remove(frames_);
  }
}

// The command reads the file before the program does; here the program has another one.
TEST_F(FullDriver, RegistryFileThatIsWrong_IsSaidInTheProgram) {
  const std::string registry = scratch_.File("bad.toml");
  std::ofstream(registry) << "[registry.driver]\nBad = 1.5\n";
  TandemRun run = Showing(file_, frames_);
  run.program = {"env", "TANDEM_REGISTRY=" + registry, Program("tandem_paint"), "--frames", "2", "--size", "64x64"};
  const TandemResult result = RunTandem(run);
  EXPECT_NE(result.process.exit_code, 0);
  EXPECT_NE(result.process.err.find("bad.toml:2: 'Bad' is none of: a number"), std::string::npos) << result.process.err;
}

TEST_F(FullDriver, MonitorThatGoes_LeavesTheProgramRunning_AndShowsItAgain) {
  constexpr std::uint32_t kFrames = 120;
  TandemRun run = Showing(file_, frames_);
  run.options.insert(run.options.end(), {"--unplug", "300:700"});
  run.program = {Program("tandem_paint"), "--frames", std::to_string(kFrames), "--size", "64x64", "--mode", "fifo"};
  const TandemResult result = RunTandem(run);
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["frames_presented"], kFrames);
  std::vector<std::uint32_t> seen;
  const auto broken = ForEachRawFrame(frames_, [&](const RawFrame& frame) {
    std::uint32_t number = 0;
    const auto wrong = CheckPattern(frame, number);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
    seen.push_back(number);
  });
  EXPECT_FALSE(broken.has_value()) << *broken;
  ASSERT_FALSE(seen.empty());
  EXPECT_LT(seen.size(), kFrames - 20);
  EXPECT_EQ(seen.back(), kFrames - 1);
}

TEST_F(FullDriver, WithoutItsUserModeHalf_ShowsTheSoftwareAdaptersFramesBitForBit) {
  ASSERT_NO_FATAL_FAILURE(Build({}));
  for (const char* size : {"1920x1080", "333x251"}) {
    SCOPED_TRACE(size);
    TandemRun run = Showing(file_, frames_);
    run.program = {Program("tandem_paint"), "--frames", "20", "--size", size, "--mode", "fifo"};
    const TandemResult result = RunTandem(run);
    ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
    const std::string shown_on = result.stats["swap_chains"][0].value("shown_on", "");
    EXPECT_TRUE(shown_on.starts_with("virtio_gpu.so on ")) << shown_on;
    std::uint32_t expected = 0;
    const auto broken = ForEachRawFrame(frames_, [&](const RawFrame& frame) {
      std::uint32_t number = 0;
      const auto wrong = CheckPattern(frame, number);
      EXPECT_FALSE(wrong.has_value()) << *wrong;
      EXPECT_EQ(number, expected++);
    });
    EXPECT_FALSE(broken.has_value()) << *broken;
    EXPECT_EQ(expected, 20u);
    std::filesystem::remove(frames_);
  }
}

TEST_F(FullDriver, WithoutItsUserModeHalf_MonitorThatGoes_LeavesTheProgramRunning) {
  ASSERT_NO_FATAL_FAILURE(Build({}));
  constexpr std::uint32_t kFrames = 120;
  TandemRun run = Showing(file_, frames_);
  run.options.insert(run.options.end(), {"--unplug", "300:700"});
  run.program = {Program("tandem_paint"), "--frames", std::to_string(kFrames), "--size", "64x64", "--mode", "fifo"};
  const TandemResult result = RunTandem(run);
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["frames_presented"], kFrames);
  std::uint32_t last = 0;
  const auto broken = ForEachRawFrame(frames_, [&](const RawFrame& frame) {
    const auto wrong = CheckPattern(frame, last);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
  });
  EXPECT_FALSE(broken.has_value()) << *broken;
  EXPECT_EQ(last, kFrames - 1);
}

TEST_F(FullDriver, Vkcube_ShowsTheSoftwareAdaptersPictures) {
  if (RunProcess({"sh", "-c", "command -v vkcube"}, {}, 5000).exit_code != 0) GTEST_SKIP() << "vkcube is not installed.";
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  std::vector<RawFrame> soft, full;
  for (const bool by_driver : {false, true}) {
    TandemRun run = Showing(by_driver ? std::optional(file_) : std::nullopt, frames_);
    run.environment.emplace_back("DISPLAY", server->display());
    run.program = {"vkcube", "--c", "20"};
    const TandemResult result = RunTandem(run);
    ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
    std::vector<RawFrame>& shown = by_driver ? full : soft;
    const auto broken = ForEachRawFrame(frames_, [&](const RawFrame& frame) { shown.push_back(frame); });
    EXPECT_FALSE(broken.has_value()) << *broken;
    std::filesystem::remove(frames_);
  }
  ASSERT_EQ(soft.size(), 20u);
  ASSERT_EQ(full.size(), soft.size());
  for (std::size_t i = 0; i < full.size(); ++i) {
    EXPECT_EQ(full[i].width, soft[i].width);
    EXPECT_EQ(full[i].height, soft[i].height);
    EXPECT_EQ(full[i].pixels, soft[i].pixels) << "Frame " << i;
  }
}

}  // namespace
}  // namespace tandem::test
