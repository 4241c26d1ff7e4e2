// GFXReconstruct: its layer captures a program's frames above Tandem, and its player shows them through Tandem.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kReplayFrames = 12;
constexpr char kExtent[] = "400x300";  // GFXReconstruct 0.9.18 waits for ever for a window of 320 x 240, its first extent

// `raw` has each frame of the test application, in order.
void ExpectEachFrame(const std::string& raw) {
  std::uint32_t frames = 0;
  const auto broken = ForEachRawFrame(raw, [&frames](const RawFrame& frame) {
    std::uint32_t number = 0;
    const auto wrong = CheckPattern(frame, number);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
    EXPECT_EQ(number, frames++);
  });
  EXPECT_FALSE(broken.has_value()) << *broken;
  EXPECT_EQ(frames, kReplayFrames);
}

class Replay : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    server_ = XServer::Start();
    if (server_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
    if (!std::filesystem::exists("/usr/bin/gfxrecon-replay")) GTEST_SKIP() << "GFXReconstruct is not installed.";
  }

  [[nodiscard]] TandemRun Through(const std::string& raw) const {
    TandemRun run;
    run.environment = WithDrivers({VulkanDrivers().front()});
    run.environment.emplace_back("DISPLAY", server_->display());
    run.limit_ms = 30000;
    run.options = {"--as", GetParam(), "--display", "soft", "--output", "raw:" + raw};
    return run;
  }

  std::unique_ptr<XServer> server_;
};

TEST_P(Replay, CaptureThroughTandem_ShowsEachFrameAgain) {
  const ScratchFolder scratch;
  TandemRun capture = Through(scratch.File("captured.raw"));
  capture.environment.emplace_back("VK_INSTANCE_LAYERS", "VK_LAYER_LUNARG_gfxreconstruct");
  capture.environment.emplace_back("GFXRECON_CAPTURE_FILE", scratch.File("frames.gfxr"));
  capture.environment.emplace_back("GFXRECON_CAPTURE_FILE_TIMESTAMP", "false");
  capture.program = {
      Program("tandem_paint"), "--xcb", "--frames", std::to_string(kReplayFrames), "--mode", "fifo", "--size", kExtent};
  const TandemResult captured = RunTandem(capture);
  EXPECT_EQ(captured.process.exit_code, 0) << captured.process.err;
  ExpectEachFrame(scratch.File("captured.raw"));

  TandemRun replay = Through(scratch.File("replayed.raw"));
  replay.program = {"gfxrecon-replay", "--wsi", "xcb", scratch.File("frames.gfxr")};
  const TandemResult replayed = RunTandem(replay);
  EXPECT_EQ(replayed.process.exit_code, 0) << replayed.process.out << replayed.process.err;
  ExpectEachFrame(scratch.File("replayed.raw"));
}

INSTANTIATE_TEST_SUITE_P(Forms, Replay, testing::Values("layer", "driver"), [](const auto& form) { return form.param; });

}  // namespace
}  // namespace tandem::test
