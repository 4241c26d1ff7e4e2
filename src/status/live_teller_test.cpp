#include "status/live_teller.h"

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

class LiveTellerTest : public testing::Test {
 protected:
  ~LiveTellerTest() override { std::filesystem::remove_all(folder_); }

  void Begin(LiveTeller& teller) {
    status::LiveSwapChain known;
    known.path = swapchain::Path::kOneCopy;
    known.path_reason = "It was decided.";
    known.render = "Renderer";
    teller.Begin(known);
  }
  [[nodiscard]] status::LiveSwapChain Seen() const {
    const auto found = status::ListLivePrograms(folder_);
    EXPECT_TRUE(found.ok());
    const bool one = found.ok() && found->programs.size() == 1 && found->programs[0].swap_chains.size() == 1;
    EXPECT_TRUE(one);
    return one ? found->programs[0].swap_chains[0] : status::LiveSwapChain{};
  }

  const std::string folder_ = testing::TempDir() + "live_teller_test_" + std::to_string(getpid());
  status::LiveFile file_{folder_};
};

TEST_F(LiveTellerTest, BeforeItBegins_TellsNothing) {
  LiveTeller teller(file_);
  teller.Tell({});
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(LiveTellerTest, FiguresOfTheWholeLife_BecomeRatesSinceTheLastTime) {
  LiveTeller teller(file_);
  Begin(teller);
  swapchain::LiveFigures figures;
  figures.now_ns = kSecond;
  figures.frames_shown = 100;
  figures.link_bytes = 5'000;
  figures.latency_sum_ns = 999 * kSecond;
  teller.Tell(figures);
  EXPECT_EQ(Seen().millihertz, 0U) << "nothing to compare with yet";
  figures.now_ns += kSecond / 2;
  figures.frames_shown += 30;
  figures.link_bytes += 1'000'000;
  figures.latency_sum_ns += 30 * 20'000'000;
  teller.Tell(figures);
  const status::LiveSwapChain seen = Seen();
  EXPECT_EQ(seen.frames.shown, 130U);
  EXPECT_EQ(seen.millihertz, 60'000U);
  EXPECT_EQ(seen.link_bytes_per_second, 2'000'000U);
  EXPECT_EQ(seen.latency_ns, 20'000'000);
  EXPECT_EQ(seen.told_ns, figures.now_ns);
  EXPECT_EQ(seen.render, "Renderer");
  EXPECT_EQ(seen.path_reason, "It was decided.");
}

TEST_F(LiveTellerTest, ToldAgainAtOnce_KeepsTheRates) {
  LiveTeller teller(file_);
  Begin(teller);
  swapchain::LiveFigures figures;
  figures.now_ns = kSecond;
  teller.Tell(figures);
  figures.now_ns += kSecond;
  figures.frames_shown = 60;
  teller.Tell(figures);
  figures.now_ns += 1000;
  figures.frames_shown = 61;
  teller.Tell(figures);
  EXPECT_EQ(Seen().millihertz, 60'000U);
  EXPECT_EQ(Seen().frames.shown, 61U);
}

TEST_F(LiveTellerTest, ComposedFramesAndEncodings_AreToldWithTheirReasons) {
  LiveTeller teller(file_);
  Begin(teller);
  const Fits policy;
  swapchain::LiveFigures figures;
  figures.now_ns = kSecond;
  figures.shown_by = swapchain::ShownBy::kComposition;
  figures.shown_by_reason = "The output is turned.";
  figures.encodings = &policy;
  figures.encoding = link::LinkEncoding::kLossless;
  teller.Tell(figures);
  EXPECT_EQ(Seen().path_reason, "The output is turned.");
  EXPECT_EQ(Seen().encoding_reason, "It fits.");
  EXPECT_EQ(Seen().encoding, link::LinkEncoding::kLossless);
  figures.shown_by = swapchain::ShownBy::kScanOut;
  figures.shown_by_reason = "It is turned back.";
  teller.Tell(figures);
  EXPECT_EQ(Seen().path_reason, "It was decided.");
}

TEST_F(LiveTellerTest, Destroyed_IsNotThereAnyMore) {
  {
    LiveTeller teller(file_);
    Begin(teller);
    teller.Tell({});
  }
  const auto found = status::ListLivePrograms(folder_);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->programs.size(), 1U);
  EXPECT_TRUE(found->programs[0].swap_chains.empty());
}

}  // namespace
}  // namespace tandem::status
