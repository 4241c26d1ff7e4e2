#include "status/live_reporter.h"

#include <filesystem>

#include <unistd.h>

#include <gtest/gtest.h>

#include "link/governor/encoding_policy.h"
#include "link/surface/link_surface.h"

namespace tandem::status {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class Fits final : public link::EncodingPolicy {
 public:
  link::EncodingChoice Choose(std::int64_t /*now_ns*/, bool /*waited*/) override { return {}; }
  void Sent(const link::SentFrame& /*frame*/) override {}
  [[nodiscard]] std::optional<link::LinkEncoding> Only() const override { return std::nullopt; }
  [[nodiscard]] std::size_t Explain(std::span<char> room) const override {
    return std::string_view("It fits.").copy(room.data(), room.size());
  }
};

swapchain::LiveFigures Figures() {
  static const swapchain::PathDecision decided{swapchain::Path::kTwoCopy, {}, DXGI_FORMAT_UNKNOWN, "It was decided.", {}};
  swapchain::LiveFigures figures;
  figures.display = "Screen";
  figures.decision = &decided;
  return figures;
}

class LiveReporterTest : public testing::Test {
 protected:
  ~LiveReporterTest() override { std::filesystem::remove_all(folder_); }

  void Begin(LiveReporter& reporter) {
    status::LiveSwapChain known;
    known.path = swapchain::Path::kOneCopy;
    known.path_reason = "It was decided.";
    known.render = "Renderer";
    reporter.Begin(known);
  }
  [[nodiscard]] status::LiveSwapChain Seen() const {
    const auto found = status::ListLivePrograms(folder_);
    EXPECT_TRUE(found.ok());
    const bool one = found.ok() && found->programs.size() == 1 && found->programs[0].swap_chains.size() == 1;
    EXPECT_TRUE(one);
    return one ? found->programs[0].swap_chains[0] : status::LiveSwapChain{};
  }

  const std::string folder_ = testing::TempDir() + "live_reporter_test_" + std::to_string(getpid());
  status::LiveFile file_{folder_};
};

TEST_F(LiveReporterTest, BeforeItBegins_TellsNothing) {
  LiveReporter reporter(file_);
  reporter.Report({});
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(LiveReporterTest, FiguresOfTheWholeLife_BecomeRatesSinceTheLastTime) {
  LiveReporter reporter(file_);
  Begin(reporter);
  swapchain::LiveFigures figures = Figures();
  figures.now_ns = kSecond;
  figures.frames_shown = 100;
  figures.link_bytes = 5'000;
  figures.latency_sum_ns = 999 * kSecond;
  reporter.Report(figures);
  EXPECT_EQ(Seen().millihertz, 0U) << "nothing to compare with yet";
  figures.now_ns += kSecond / 2;
  figures.frames_shown += 30;
  figures.link_bytes += 1'000'000;
  figures.latency_sum_ns += 30 * 20'000'000;
  reporter.Report(figures);
  const status::LiveSwapChain seen = Seen();
  EXPECT_EQ(seen.frames.shown, 130U);
  EXPECT_EQ(seen.millihertz, 60'000U);
  EXPECT_EQ(seen.link_bytes_per_second, 2'000'000U);
  EXPECT_EQ(seen.latency_ns, 20'000'000);
  EXPECT_EQ(seen.reported_ns, figures.now_ns);
  EXPECT_EQ(seen.render, "Renderer");
  EXPECT_EQ(seen.path_reason, "It was decided.");
}

TEST_F(LiveReporterTest, ToldAgainAtOnce_KeepsTheRates) {
  LiveReporter reporter(file_);
  Begin(reporter);
  swapchain::LiveFigures figures = Figures();
  figures.now_ns = kSecond;
  reporter.Report(figures);
  figures.now_ns += kSecond;
  figures.frames_shown = 60;
  reporter.Report(figures);
  figures.now_ns += 1000;
  figures.frames_shown = 61;
  reporter.Report(figures);
  EXPECT_EQ(Seen().millihertz, 60'000U);
  EXPECT_EQ(Seen().frames.shown, 61U);
}

TEST_F(LiveReporterTest, ComposedFramesAndEncodings_AreToldWithTheirReasons) {
  LiveReporter reporter(file_);
  Begin(reporter);
  const Fits policy;
  swapchain::LiveFigures figures = Figures();
  figures.now_ns = kSecond;
  figures.shown_by = swapchain::ShownBy::kComposition;
  figures.shown_by_reason = "The output is turned.";
  figures.encodings = &policy;
  figures.encoding = link::LinkEncoding::kLossless;
  reporter.Report(figures);
  EXPECT_EQ(Seen().path_reason, "The output is turned.");
  EXPECT_EQ(Seen().encoding_reason, "It fits.");
  EXPECT_EQ(Seen().encoding, link::LinkEncoding::kLossless);
  figures.shown_by = swapchain::ShownBy::kScanOut;
  figures.shown_by_reason = "It is turned back.";
  reporter.Report(figures);
  EXPECT_EQ(Seen().path_reason, "It was decided.");
}

TEST_F(LiveReporterTest, DisplayAdapterFollowsALostOne_IsToldWithItsPath) {
  LiveReporter reporter(file_);
  Begin(reporter);
  reporter.Report(Figures());
  EXPECT_EQ(Seen().display, "Screen");
  const swapchain::PathDecision decision{swapchain::Path::kCompressed, {}, DXGI_FORMAT_R10G10B10A2_UNORM, "Another follows.", {}};
  swapchain::LiveFigures figures = Figures();
  figures.display = "Spare";
  figures.decision = &decision;
  reporter.Report(figures);
  EXPECT_EQ(Seen().display, "Spare");
  EXPECT_EQ(Seen().path, swapchain::Path::kCompressed);
  EXPECT_EQ(Seen().crossing_format, DXGI_FORMAT_R10G10B10A2_UNORM);
  EXPECT_EQ(Seen().path_reason, "Another follows.");
}

TEST_F(LiveReporterTest, Destroyed_IsNotThereAnyMore) {
  {
    LiveReporter reporter(file_);
    Begin(reporter);
    reporter.Report(Figures());
  }
  const auto found = status::ListLivePrograms(folder_);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->programs.size(), 1U);
  EXPECT_TRUE(found->programs[0].swap_chains.empty());
}

}  // namespace
}  // namespace tandem::status
