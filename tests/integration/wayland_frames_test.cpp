// Frames that a Wayland compositor of the test's own is shown, pixel by pixel.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "outputs/testing/wayland_compositor.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

using outputs::testing::CommittedFrame;
using outputs::testing::CompositorManners;
using outputs::testing::WaylandCompositor;

class WaylandFrames : public testing::Test {
 protected:
  void Begin(CompositorManners manners) {
    if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
    manners.socket = "tandem-test";
    compositor_ = WaylandCompositor::Start(manners);
    ASSERT_TRUE(compositor_);
  }

  TandemResult Run(const std::vector<std::string>& options, const std::vector<std::string>& program) {
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.insert(run.environment.end(),
                           {{"DISPLAY", ""}, {"WAYLAND_DISPLAY", "tandem-test"}, {"XDG_RUNTIME_DIR", folder_.path()}});
    run.options = options;
    run.program = program;
    return RunTandem(run);
  }

  TandemResult Paint(const std::vector<std::string>& options, const std::vector<std::string>& more = {}) {
    std::vector<std::string> program{Program("tandem_paint"), "--wayland", "--mode", mode_, "--frames", std::to_string(frames_)};
    program.insert(program.end(), more.begin(), more.end());
    return Run(options, program);
  }

  // Expects `count` frames, each whole when it was committed and still whole when the next one replaced it, in order.
  void ExpectEachWhole(std::size_t first, std::size_t count) {
    const std::vector<CommittedFrame> frames = compositor_->frames();
    ASSERT_EQ(frames.size(), first + count);
    for (std::size_t i = 0; i < count; ++i) {
      const CommittedFrame& shown = frames[first + i];
      for (const auto* pixels : {&shown.pixels, &shown.at_next}) {
        if (pixels->empty()) continue;
        std::uint32_t number = 0;
        const auto fault = CheckPattern({i, shown.width, shown.height, shown.format, *pixels}, number);
        EXPECT_FALSE(fault) << *fault;
        EXPECT_EQ(shown.dma_buf, access("/dev/udmabuf", R_OK | W_OK) == 0);
        EXPECT_EQ(number, i);
      }
    }
  }

  std::string mode_ = "fifo";
  int frames_ = 30;
  RuntimeFolder folder_;
  std::unique_ptr<WaylandCompositor> compositor_;
};

TEST_F(WaylandFrames, EachFormAndPath_ShowsEachFrameWholeAndInOrder) {
  Begin({});
  if (IsSkipped()) return;
  std::size_t shown = 0;
  for (const char* form : {"layer", "driver"}) {
    for (const char* path : {"direct", "one-copy", "two-copy"}) {
      SCOPED_TRACE(std::string(form) + ", " + path);
      const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft", "--as", form, "--path", path});
      ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
      ASSERT_TRUE(result.stats.is_object());
      EXPECT_EQ(result.stats["path"], path);
      EXPECT_EQ(result.stats["frames_shown"], 30) << result.stats.dump();
      EXPECT_EQ(result.stats["output_bytes_per_frame"], 0);
      const auto& report = result.stats["display_report"];
      EXPECT_EQ(report["seen"].get<int>() + report["replaced"].get<int>() + report["pending"].get<int>(), 30) << report;
      EXPECT_EQ(report["replaced"], 0) << report;  // FIFO: each frame waits for the compositor's request
      EXPECT_LE(report["pending"].get<int>(), 1);
      ExpectEachWhole(shown, 30);
      shown += 30;
    }
  }
}

// Encodings drop alpha.
TEST_F(WaylandFrames, EncodingThatIsAskedFor_OffersNoAlpha) {
  Begin({});
  if (IsSkipped()) return;
  const std::string opaque = "alpha 1\n", pre_multiplied_too = "alpha 3\n";
  const auto expect = [this](std::vector<std::string> options, const std::string& alpha) {
    options.insert(options.end(), {"--render", "llvmpipe", "--display", "soft"});
    const TandemResult result = Run(options, {Program("tandem_queries"), "--wayland"});
    EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
    EXPECT_NE(result.process.out.find(alpha), std::string::npos) << result.process.out;
  };
  expect({"--path", "compressed", "--encode", "lossless"}, opaque);
  expect({"--path", "compressed"}, pre_multiplied_too);
  expect({"--encode", "lossless"}, pre_multiplied_too);
}

TEST_F(WaylandFrames, CompositorSlowerThanItsMode_LeadsTheVerticalBlank) {
  CompositorManners manners;
  manners.refreshes_per_frame = 6;
  Begin(manners);
  if (IsSkipped()) return;
  const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft"});
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["display_report"]["replaced"], 0) << result.stats.dump();
  ExpectEachWhole(0, 30);
}

TEST_F(WaylandFrames, FramesCountedAsShown_AreThoseThatTheCompositorReports) {
  Begin({});
  if (IsSkipped()) return;
  frames_ = 500;
  std::uint64_t seen = 0, replaced = 0;
  for (const char* mode : {"fifo", "mailbox", "immediate"}) {
    SCOPED_TRACE(mode);
    mode_ = mode;
    const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft"});
    ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
    const auto count = [&result](const char* name) { return result.stats["display_report"][name].get<std::uint64_t>(); };
    EXPECT_EQ(result.stats["frames_shown"].get<std::uint64_t>(), count("seen") + count("replaced") + count("pending"));
    EXPECT_LE(count("pending"), 2u);
    // The compositor answers for the pending ones, too, unless the program has left by then.
    seen = compositor_->seen() - seen;
    replaced = compositor_->replaced() - replaced;
    EXPECT_GE(seen, count("seen"));
    EXPECT_LE(seen + replaced, result.stats["frames_shown"].get<std::uint64_t>());
    EXPECT_GE(replaced, count("replaced"));
    if (mode_ == "fifo") {
      EXPECT_EQ(count("replaced"), 0u);
    }
    seen = compositor_->seen();
    replaced = compositor_->replaced();
  }
  EXPECT_EQ(compositor_->errors(), 0u);
}

TEST_F(WaylandFrames, CompositorThatReadsEachFrameForLong_DoesNotHoldAnImmediateProgram) {
  CompositorManners manners;
  manners.scans_out = true;
  manners.refreshes_per_frame = 10;
  Begin(manners);
  if (IsSkipped()) return;
  mode_ = "immediate";
  frames_ = 1000;
  for (const char* path : {"direct", "one-copy", "two-copy"}) {
    SCOPED_TRACE(path);
    const std::size_t before = compositor_->frames().size();
    const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft", "--path", path});
    ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
    const int shown = result.stats["frames_shown"].get<int>();
    EXPECT_GT(result.stats["frames_dropped"].get<int>(), 0) << result.stats.dump();
    EXPECT_EQ(shown + result.stats["frames_dropped"].get<int>(), frames_);
    EXPECT_EQ(result.stats["output_bytes_per_frame"], 0);
    const std::vector<CommittedFrame> frames = compositor_->frames();
    ASSERT_EQ(frames.size(), before + static_cast<std::size_t>(shown));
    std::uint32_t last = 0;
    for (std::size_t i = before; i < frames.size(); ++i) {
      for (const auto* pixels : {&frames[i].pixels, &frames[i].at_next}) {
        if (pixels->empty()) continue;
        std::uint32_t number = 0;
        const auto fault = CheckPattern({i, frames[i].width, frames[i].height, frames[i].format, *pixels}, number);
        EXPECT_FALSE(fault) << *fault;
        EXPECT_GE(number, last);
        last = number;
      }
    }
    EXPECT_EQ(last, static_cast<std::uint32_t>(frames_ - 1));
  }
}

TEST_F(WaylandFrames, CompositorThatAsksForNothing_DoesNotHoldTheProgram) {
  CompositorManners manners;
  manners.asks_for_frames = false;
  Begin(manners);
  if (IsSkipped()) return;
  const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft"});
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["frames_shown"], 30);
}

TEST_F(WaylandFrames, CompositorThatGivesNothingBack_IsShownCopies) {
  CompositorManners manners;
  manners.gives_back = false;
  Begin(manners);
  if (IsSkipped()) return;
  const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft"});
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["frames_shown"], 30);
  EXPECT_GT(result.stats["output_bytes_per_frame"], 0);
}

TEST_F(WaylandFrames, ProgramThatLeavesWithoutATrace_EndsWell) {
  Begin({});
  if (IsSkipped()) return;
  for (const char* form : {"layer", "driver"}) {
    const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft", "--as", form}, {"--leave"});
    EXPECT_EQ(result.process.exit_code, 0) << form << ": " << result.process.err;
  }
}

TEST_F(WaylandFrames, CompositorEnds_TheProgramIsTold) {
  Begin({});
  if (IsSkipped()) return;
  std::thread end([this] {
    compositor_->AwaitFrames(10);
    compositor_->Disconnect();
  });
  frames_ = 100'000;
  const TandemResult result = Paint({"--render", "llvmpipe", "--display", "soft"});
  end.join();
  EXPECT_FALSE(result.process.timed_out);
  EXPECT_EQ(result.process.exit_code, 3) << result.process.err;
  EXPECT_NE(result.process.err.find("answered -1000000000"), std::string::npos) << result.process.err;  // surface lost
}

}  // namespace
}  // namespace tandem::test
