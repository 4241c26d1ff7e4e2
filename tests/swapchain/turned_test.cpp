// An output rotates while frames are shown: on each path every frame is seen whole, rotated and in its own extent.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/swapchain/other_screen.h"
#include "tests/swapchain/refusing_umd.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using swapchain::PathRequest;
using swapchain::ShownBy;
using swapchain::SwapChain;

constexpr std::uint32_t kWidth = 70, kHeight = 50, kRound = 20;

constexpr std::array kTurns{Turned::k90, Turned::k270, Turned::k180, Turned::kNot, Turned::k90, Turned::kNot};

D3DDDI_ROTATION ToRotation(Turned turned) {
  return static_cast<D3DDDI_ROTATION>(static_cast<int>(turned) + D3DDDI_ROTATION_IDENTITY);
}

// Another user's primary, in the extent of a path with this rotation.
swapchain::ResourceDesc PrimaryFor(Turned turned) {
  swapchain::ResourceDesc primary;
  primary.width = IsQuarter(turned) ? kHeight : kWidth;
  primary.height = IsQuarter(turned) ? kWidth : kHeight;
  primary.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  primary.bind_flags = D3D10_DDI_BIND_PRESENT;
  primary.primary = true;
  return primary;
}

struct Way {
  PathRequest path;
  LinkEncoding encoding;  // used on the compressed path
  std::uint32_t slices;
  std::uint32_t display_buffers;
  std::uint64_t copies;         // copies of an unrotated frame
  std::uint64_t turned_copies;  // copies of a rotated frame
  bool decodes_turned = false;  // decoding already rotates the frame
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << ToString(way.path) << ", " << link::ToString(way.encoding) << ", " << way.slices << " slices";
}

class Turning : public ::testing::TestWithParam<Way> {
 protected:
  Turning() : policy_(GetParam().encoding) {
    desc_.width = kWidth;
    desc_.height = kHeight;
    desc_.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    desc_.path = GetParam().path;
    desc_.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
    desc_.display_buffers = GetParam().display_buffers;
    if (desc_.path == PathRequest::kCompressed) {
      desc_.encodings = &policy_;
      desc_.link_slices = GetParam().slices;
      opaque_ = 0xFF000000U;
    }
    PairOptions options;
    options.opaque = opaque_;
    pair_ = SoftPair::Create(options);
  }
  // Another user sets the mode and shows its own primary, rotated in memory like the mode.
  void SetMode(Turned turned) {
    others_.push_back(std::make_unique<OtherScreen>(*pair_, PrimaryFor(turned)));
    others_.back()->Paint(OtherScreen::kFirstNumber, turned, opaque_);
    pair_->output().Turn(turned);
    others_.back()->SetMode(ToRotation(turned));
  }
  // The program's frames in the order in which they were seen.
  [[nodiscard]] std::vector<std::uint32_t> FramesSeen() const {
    auto numbers = pair_->output().Numbers();
    std::erase(numbers, OtherScreen::kFirstNumber);
    return numbers;
  }

  Just policy_;
  swapchain::SwapChainDesc desc_;
  std::uint32_t opaque_ = 0;
  std::unique_ptr<SoftPair> pair_;
  std::vector<std::unique_ptr<OtherScreen>> others_;
};

TEST_P(Turning, EachFrameIsSeenWholeAndTurned) {
  ASSERT_TRUE(pair_);
  auto chain = SwapChain::Create(pair_->render(), pair_->display(), desc_, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair_->render(), **chain, desc_, opaque_);
  std::uint32_t next = 1;
  const auto show = [&] {
    const auto presented = PresentFrames(**chain, application, next, kRound);
    ASSERT_TRUE(presented.ok()) << presented.error().message;
    next += kRound;
    ASSERT_TRUE((*chain)->WaitForPresent(next - 1, kPatienceNs).ok());
  };
  ASSERT_NO_FATAL_FAILURE(show());
  for (const Turned turned : kTurns) {
    SCOPED_TRACE(static_cast<int>(turned));
    ASSERT_NO_FATAL_FAILURE(SetMode(turned));
    ASSERT_NO_FATAL_FAILURE(show());
    EXPECT_EQ(pair_->output().last_width(), IsQuarter(turned) ? kHeight : kWidth);
  }
  std::vector<std::uint32_t> all(next - 1);
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i + 1;
  EXPECT_EQ(FramesSeen(), all);
  const auto statistics = (*chain)->statistics();
  EXPECT_EQ(statistics.frames_composed, GetParam().decodes_turned ? 0 : 4 * kRound);
  const auto copies = static_cast<double>(3 * kRound * GetParam().copies + 4 * kRound * GetParam().turned_copies);
  // The encoder of tiles stores the rows of some frames.
  const bool keeps = GetParam().path == PathRequest::kCompressed && link::RefersToFrames(GetParam().encoding);
  EXPECT_GE(statistics.full_frame_copies, copies);
  EXPECT_LE(statistics.full_frame_copies, copies + (keeps ? 7.0 * kRound : 0));
  const auto events = (*chain)->events();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].frame, kRound + 1);
  EXPECT_EQ(events[0].now, GetParam().decodes_turned ? ShownBy::kScanOut : ShownBy::kComposition);
  EXPECT_EQ(events[1].now, ShownBy::kScanOut);
  if (desc_.path != PathRequest::kOneCopy) {
    EXPECT_EQ(events[0].reason, GetParam().decodes_turned
                                    ? "what display adapter display shows is turned, and so is each frame while it is decoded."
                                    : "what display adapter display shows is turned, so it copies each frame once more.");
    EXPECT_EQ(events[1].reason, "what display adapter display shows is not turned any more.");
  }
}

// Alternates exact encodings with and without references to earlier frames.
class EachInTurn final : public link::EncodingPolicy {
 public:
  link::EncodingChoice Choose(std::int64_t /*now_ns*/, bool /*waited*/) override {
    return {kEncodings[next_++ % kEncodings.size()], false};
  }
  void Sent(const link::SentFrame& /*frame*/) override {}
  [[nodiscard]] std::optional<LinkEncoding> Only() const override { return std::nullopt; }
  [[nodiscard]] std::size_t Explain(std::span<char> /*room*/) const override { return 0; }

 private:
  static constexpr std::array kEncodings{LinkEncoding::kPacked,   LinkEncoding::kLossless, LinkEncoding::kLossless,
                                         LinkEncoding::kLossless, LinkEncoding::kLossless, LinkEncoding::kPacked,
                                         LinkEncoding::kPacked,   LinkEncoding::kPlain,    LinkEncoding::kPlain};
  std::size_t next_ = 0;
};

class TurningMeanwhile : public ::testing::TestWithParam<PathRequest> {};

// Modes change while frames are on their way: between a frame's slices, and between a frame and its flip. The mode changes at
// most once while a frame is prepared; queries before and after would miss a second change that reverts the first.
TEST_P(TurningMeanwhile, FramesOfEachKind_AreSeenWholeAndInOrder) {
  constexpr std::array kWays{Turned::k90, Turned::k270, Turned::k180, Turned::kNot};
  constexpr std::uint32_t kFrames = 300, kPendingFlips = 2;
  constexpr std::uint32_t kOpaque = 0xFF000000U;
  PairOptions options;
  options.opaque = kOpaque;
  // A surface stays on the screen for a while after another was programmed.
  options.before_show = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  pair->output().TurnAnyWay();
  EachInTurn policy;
  swapchain::SwapChainDesc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = GetParam();
  desc.encodings = &policy;
  desc.link_slices = 4;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc, kOpaque);
  std::vector<std::unique_ptr<OtherScreen>> others;
  for (const Turned turned : kWays) {
    others.push_back(std::make_unique<OtherScreen>(*pair, PrimaryFor(turned)));
    others.back()->Paint(OtherScreen::kFirstNumber, turned, kOpaque);
  }
  Result<void> presented;
  auto program = Thread::Start("program", [&] { presented = PresentFrames(**chain, application, 1, kFrames); });
  ASSERT_TRUE(program.ok());
  Result<void> shown;
  for (std::uint64_t i = 0, frame = 1; frame < kFrames && shown.ok(); ++i) {
    shown = (*chain)->WaitForPresent(frame, kPatienceNs);
    others[i % kWays.size()]->SetMode(ToRotation(kWays[i % kWays.size()]));
    frame = (*chain)->statistics().frames_shown + kPendingFlips + 1;
  }
  if (shown.ok()) shown = (*chain)->WaitForPresent(kFrames, kPatienceNs);
  program->Join();
  ASSERT_TRUE(presented.ok()) << presented.error().message;
  ASSERT_TRUE(shown.ok()) << shown.error().message;
  auto numbers = pair->output().Numbers();
  std::erase(numbers, OtherScreen::kFirstNumber);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ((*chain)->statistics().frames_shown, kFrames);
}

TEST(TurnedWithoutPrimaries, FramesOutOfALink_AreShownAsTheyAre_AndItIsSaid) {
  PairOptions options;
  options.opaque = 0xFF000000U;
  options.open_display = RefusingOpenAdapter10_2;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  Just policy(LinkEncoding::kPacked);
  swapchain::SwapChainDesc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = PathRequest::kCompressed;
  desc.encodings = &policy;
  desc.link_slices = 4;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  OtherScreen settings(*pair, PrimaryFor(Turned::kNot));
  settings.Paint(OtherScreen::kFirstNumber, Turned::kNot, options.opaque);
  settings.SetMode(D3DDDI_ROTATION_180);
  const TestApplication application(pair->render(), **chain, desc, options.opaque);
  refuse = Refuse::kPrivatePrimary;
  const auto presented = PresentFrames(**chain, application, 1, 10);
  const auto shown = presented.ok() ? (*chain)->WaitForPresent(10, kPatienceNs) : presented;
  refuse = Refuse::kNothing;
  ASSERT_TRUE(shown.ok()) << shown.error().message;
  auto numbers = pair->output().Numbers();
  std::erase(numbers, OtherScreen::kFirstNumber);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  const auto events = (*chain)->events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].now, ShownBy::kScanOut);
  EXPECT_NE(events[0].reason.find("there is no primary to copy to"), std::string::npos) << events[0].reason;
}

INSTANTIATE_TEST_SUITE_P(EachPath, TurningMeanwhile,
                         ::testing::Values(PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCompressed),
                         [](const auto& path) { return "Path" + std::to_string(path.index); });

INSTANTIATE_TEST_SUITE_P(EachWay, Turning,
                         ::testing::Values(Way{PathRequest::kOneCopy, LinkEncoding::kPlain, 1, 0, 1, 2},
                                           Way{PathRequest::kTwoCopy, LinkEncoding::kPlain, 1, 0, 2, 2},
                                           Way{PathRequest::kTwoCopy, LinkEncoding::kPlain, 1, 3, 2, 2},
                                           Way{PathRequest::kCompressed, LinkEncoding::kLossless, 1, 0, 2, 3},
                                           Way{PathRequest::kCompressed, LinkEncoding::kLossless, 4, 0, 2, 3},
                                           Way{PathRequest::kCompressed, LinkEncoding::kPlain, 2, 0, 2, 2, true},
                                           Way{PathRequest::kCompressed, LinkEncoding::kPacked, 1, 0, 2, 2, true},
                                           Way{PathRequest::kCompressed, LinkEncoding::kPacked, 4, 0, 2, 2, true},
                                           Way{PathRequest::kCompressed, LinkEncoding::kPacked, 4, 4, 3, 3}),
                         [](const auto& way) { return "Way" + std::to_string(way.index); });

}  // namespace
}  // namespace tandem::swapchain_test
