// A Windows display-only driver, built by `tandem driver build`: judged, and shown through.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/integration/conform_report.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

class DisplayDriver : public testing::Test {
 protected:
  // Of the example in the tree; each definition breaks it.
  void Build(const std::vector<std::string>& options = {}) {
    std::vector<std::string> argv{TANDEM_COMMAND, "driver", "build", TANDEM_SOURCE_DIR "/examples/display_only", "-o", file_};
    argv.insert(argv.end(), options.begin(), options.end());
    const ProcessResult built = RunProcess(argv, {}, 300'000);
    ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  }
  [[nodiscard]] nlohmann::json Conform(const std::vector<std::string>& options) const {
    std::vector<std::string> argv{TANDEM_COMMAND, "conform", "--driver", file_, "--json", "--jobs", "2"};
    argv.insert(argv.end(), options.begin(), options.end());
    const ProcessResult result = RunProcess(argv, WithDrivers(VulkanDrivers()), 600'000);
    auto report = nlohmann::json::parse(result.out, nullptr, false);
    EXPECT_TRUE(report.is_object()) << result.out << result.err;
    return report;
  }
  [[nodiscard]] TandemResult Paint(const std::vector<std::string>& options, const std::string& size) const {
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.options = {"--render", VulkanDrivers().front().selector, "--display-driver", file_, "--output", "raw:" + frames_};
    run.options.insert(run.options.end(), options.begin(), options.end());
    run.program = {Program("tandem_paint"), "--frames", "20", "--size", size, "--mode", "immediate"};
    return RunTandem(run);
  }
  // Frames of a window's size and of a small one, through the driver that was built.
  void ExpectFramesBitForBit() const {
    for (const char* size : {"1920x1080", "333x251"}) {
      SCOPED_TRACE(size);
      const TandemResult result = Paint({}, size);
      ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
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

  const ScratchFolder scratch_;
  const std::string file_ = scratch_.File("display_only.so");
  const std::string frames_ = scratch_.File("frames");
};

TEST_F(DisplayDriver, Example_EveryRuleHolds) {
  ASSERT_NO_FATAL_FAILURE(Build());
  const nlohmann::json report = Conform({});
  EXPECT_EQ(report["failed"], 0) << FailedTrials(report);
  EXPECT_GT(report["passed"].get<int>(), 20);
  for (const auto& trial : report["trials"]) EXPECT_EQ(trial["display"], "display_only");
}

TEST_F(DisplayDriver, WhatIsLeftAtUnload_BreaksARule) {
  ASSERT_NO_FATAL_FAILURE(Build({"-D", "LEAK"}));
  const nlohmann::json report = Conform({"--filter", "Leak.Unloaded"});
  EXPECT_EQ(report["failed"], 1) << FailedTrials(report);
  EXPECT_NE(report["trials"][0]["seen"].get<std::string>().find("Nt.PoolLeak: Tag 'Leak'"), std::string::npos)
      << FailedTrials(report);
}

TEST_F(DisplayDriver, CallAtAWrongLevel_BreaksEveryRule) {
  ASSERT_NO_FATAL_FAILURE(Build({"-D", "WRONG_LEVEL"}));
  const nlohmann::json report = Conform({"--filter", "Flip.*"});
  EXPECT_EQ(report["failed"], 1) << FailedTrials(report);
  EXPECT_NE(report["trials"][0]["seen"].get<std::string>().find("Nt.Irql"), std::string::npos) << FailedTrials(report);
}

TEST_F(DisplayDriver, EachServiceThatFails_IsAnswered) {
  ASSERT_NO_FATAL_FAILURE(Build());
  const nlohmann::json report = Conform({"--fail-each"});
  EXPECT_EQ(report["failed"], 0) << FailedTrials(report);
  EXPECT_GE(report["passed"].get<int>(), 3) << FailedTrials(report);
}

TEST_F(DisplayDriver, MemoryThatIsNotChecked_IsACrashWithTheCallsName) {
  ASSERT_NO_FATAL_FAILURE(Build({"-D", "UNCHECKED"}));
  const nlohmann::json report = Conform({"--fail-each"});
  EXPECT_EQ(report["failed"], 1) << FailedTrials(report);
  for (const auto& trial : report["trials"]) {
    if (trial["verdict"] != "fail") continue;
    EXPECT_NE(trial["trial"].get<std::string>().find("ExAllocatePool2"), std::string::npos) << trial;
    EXPECT_NE(trial["seen"].get<std::string>().find("The driver crashed in DxgkDdiStartDevice"), std::string::npos) << trial;
  }
}

TEST_F(DisplayDriver, Listing_SaysWhatTheDriverReports) {
  ASSERT_NO_FATAL_FAILURE(Build());
  const ProcessResult listed = RunProcess({TANDEM_COMMAND, "adapters", "--driver", file_, "--json"}, {}, 60000);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  const auto report = nlohmann::json::parse(listed.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << listed.out;
  EXPECT_EQ(report["class"], "display-only");
  EXPECT_EQ(report["device"], "frame buffer");
  EXPECT_EQ(report["mode_width"], 1920);
  const ProcessResult full =
      RunProcess({TANDEM_COMMAND, "adapters", "--driver", std::string(TANDEM_MODULES) + "/soft.so"}, {}, 60000);
  EXPECT_EQ(full.exit_code, 0) << full.err;
  EXPECT_NE(full.out.find("class    full, WDDM"), std::string::npos) << full.out;
  const ProcessResult missing = RunProcess({TANDEM_COMMAND, "adapters", "--driver", file_ + "x"}, {}, 60000);
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_NE(missing.err.find("cannot be loaded"), std::string::npos) << missing.err;
}

TEST_F(DisplayDriver, Program_EachFrameIsShownBitForBit) {
  ASSERT_NO_FATAL_FAILURE(Build());
  ExpectFramesBitForBit();
}

TEST_F(DisplayDriver, DriverThatRefusesASmallFrameBuffer_GetsALargerOne) {
  ASSERT_NO_FATAL_FAILURE(Build({"-D", "REFUSE_SMALL"}));
  ExpectFramesBitForBit();
}

TEST_F(DisplayDriver, AnotherDisplayAdapterOrNoDriver_IsRefused) {
  ASSERT_NO_FATAL_FAILURE(Build());
  const TandemResult other = Paint({"--display", VulkanDrivers().front().selector}, "64x64");
  EXPECT_NE(other.process.exit_code, 0);
  EXPECT_NE(other.process.err.find("the driver shows the software adapter's frames alone"), std::string::npos)
      << other.process.err;
  std::filesystem::remove(file_);
  const TandemResult missing = Paint({}, "64x64");
  EXPECT_NE(missing.process.exit_code, 0);
  EXPECT_NE(missing.process.err.find(file_), std::string::npos) << missing.process.err;
}

}  // namespace
}  // namespace tandem::test
