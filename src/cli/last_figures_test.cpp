#include "cli/last_figures.h"

#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"

namespace tandem::cli {
namespace {

LastFigures Killed() {
  LastFigures last;
  last.program.process.pid = 4242;
  last.program.program = "vkcube";
  last.program.earlier = {100, 90, 10};
  status::LiveSwapChain chain;
  chain.reported_ns = 1'000'000'000;
  chain.width = 640;
  chain.height = 480;
  chain.path = swapchain::Path::kCompressed;
  chain.path_reason = "It can be had.";
  chain.encoding = link::LinkEncoding::kLossless;
  chain.encoding_reason = "lossless: it fits.";
  chain.frames = {12, 11, 1};
  chain.millihertz = 59'940;
  chain.render = "R";
  chain.display = "D";
  last.program.swap_chains = {chain};
  last.signal = SIGKILL;
  last.ended_ns = 1'200'000'000;
  return last;
}

TEST(LastFigures, Summary_SaysHowItEndedAndWhatItReported) {
  EXPECT_EQ(SummaryOf(Killed()),
            "tandem: vkcube (process 4242) was ended by signal 9 (SIGKILL). 200 ms before it had reported:\n"
            "tandem: rendered on R, shown by D\n"
            "tandem: 640x480 fifo\n"
            "tandem:   path compressed: It can be had.\n"
            "tandem:   lossless: it fits.\n"
            "tandem:   12 frames presented, 11 shown, 1 dropped; 59.9 shown a second at last\n"
            "tandem: swap chains that were gone by then: 100 frames presented, 90 shown, 10 dropped\n");
}

TEST(LastFigures, Json_HasTheKeysOfAWholeRun) {
  const auto json = nlohmann::json::parse(JsonOf(Killed()));
  EXPECT_EQ(json["program"], "vkcube");
  EXPECT_EQ(json["pid"], 4242);
  EXPECT_EQ(json["ended_by_signal"], SIGKILL);
  EXPECT_EQ(json["ended_by_signal_name"], "SIGKILL");
  EXPECT_EQ(json["reported_ms_before_end"], 200.0);
  EXPECT_EQ(json["path"], "compressed");
  EXPECT_EQ(json["render_adapter"], "R");
  EXPECT_EQ(json["frames_presented"], 112);
  EXPECT_EQ(json["frames_shown"], 101);
  EXPECT_EQ(json["frames_dropped"], 11);
  ASSERT_EQ(json["swap_chains"].size(), 1U);
  EXPECT_EQ(json["swap_chains"][0]["frames_shown"], 11);
  EXPECT_EQ(json["swap_chains"][0]["width"], 640);
}

TEST(LastFigures, NothingReported_IsStillAnObject) {
  LastFigures last;
  last.ended_ns = 5;
  EXPECT_TRUE(nlohmann::json::parse(JsonOf(last))["ended_by_signal"].is_null());
  EXPECT_EQ(HowEnded(0), "ended early");
  EXPECT_EQ(HowEnded(SIGRTMIN + 1), "was ended by signal " + std::to_string(SIGRTMIN + 1));
}

}  // namespace
}  // namespace tandem::cli
