// Frames on the compressed path: one adapter encodes them, the other decodes them.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/swapchain/refusing_umd.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using link::SentFrame;
using swapchain::Path;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::uint32_t kAlpha = 0xFF000000U;

// Cycles through the given encodings and records the reported results.
class InTurn final : public link::EncodingPolicy {
 public:
  explicit InTurn(std::vector<LinkEncoding> encodings) : encodings_(std::move(encodings)) {}
  link::EncodingChoice Choose(std::int64_t /*now_ns*/, bool /*waited*/) override {
    return {encodings_[next_++ % encodings_.size()], next_ % 3 == 0};
  }
  void Sent(const SentFrame& frame) override {
    bytes_ += frame.bytes;
    link_ns_ += frame.link_ns;
    ++sent_;
  }
  [[nodiscard]] std::optional<LinkEncoding> Only() const override {
    return encodings_.size() == 1 ? std::optional(encodings_.front()) : std::nullopt;
  }
  [[nodiscard]] std::size_t Explain(std::span<char> room) const override {
    constexpr std::string_view kReason = "In turn.";
    return kReason.copy(room.data(), room.size());
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t link_ns() const { return link_ns_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  const std::vector<LinkEncoding> encodings_;
  std::uint64_t next_ = 0;
  std::uint64_t bytes_ = 0;
  std::int64_t link_ns_ = 0;
  std::uint64_t sent_ = 0;
};

SwapChainDesc LinkDesc(std::uint32_t width, std::uint32_t height, PresentMode mode, link::EncodingPolicy& policy) {
  SwapChainDesc desc;
  desc.width = width;
  desc.height = height;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = PathRequest::kCompressed;
  desc.present_mode = mode;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  desc.encodings = &policy;
  return desc;
}

std::vector<std::uint32_t> Range(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

std::unique_ptr<SoftPair> MakePair(std::uint64_t link_bytes_per_second = 0) {
  PairOptions options;
  options.link_bytes_per_second = link_bytes_per_second;
  options.opaque = kAlpha;
  return SoftPair::Create(options);
}

TEST(SwapChainLink, EachModeSizeAndSliceCount_EveryFrameArrivesWhole) {
  const auto pair = MakePair();
  ASSERT_TRUE(pair);
  std::uint32_t next = 1;
  for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kImmediate}) {
    for (const std::uint32_t slices : {1U, 2U, 16U}) {
      for (const auto& [width, height] : {std::array{1U, 1U}, {17U, 13U}, {333U, 251U}, {64U, 160U}}) {
        SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height) + " in " + std::to_string(slices));
        InTurn policy({LinkEncoding::kPlain, LinkEncoding::kLossless, LinkEncoding::kLossless});
        SwapChainDesc desc = LinkDesc(width, height, mode, policy);
        desc.link_slices = slices;
        auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
        ASSERT_TRUE(chain.ok()) << chain.error().message;
        EXPECT_EQ((*chain)->decision().path, Path::kCompressed);
        const TestApplication application(pair->render(), **chain, desc, kAlpha);
        ASSERT_TRUE(PresentFrames(**chain, application, next, 12).ok());
        next += 12;
        ASSERT_TRUE((*chain)->WaitForPresent(next - 1, kPatienceNs).ok());
        const auto statistics = (*chain)->statistics();
        EXPECT_EQ(statistics.frames_by_encoding[0], 4U);
        EXPECT_EQ(statistics.frames_by_encoding[1], 8U);
        EXPECT_EQ(statistics.link_bytes, policy.bytes());
        EXPECT_GT(statistics.encode_ns, 0);
        EXPECT_LE(statistics.decoded_frames, 12 - desc.ring_buffers);  // reported one round of the ring later
        EXPECT_GT(statistics.decode_ns, 0);
        EXPECT_EQ(policy.sent(), 12U);
      }
    }
  }
  EXPECT_EQ(pair->output().Numbers(), Range(1, next - 1));
}

TEST(SwapChainLink, Mailbox_ShowsWholeFramesAndTheLast) {
  constexpr std::uint32_t kFrames = 1000;
  const auto pair = MakePair();
  ASSERT_TRUE(pair);
  InTurn policy({LinkEncoding::kLossless});
  const SwapChainDesc desc = LinkDesc(60, 70, PresentMode::kMailbox, policy);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc, kAlpha);
  ASSERT_TRUE(PresentFrames(**chain, application, 1, kFrames).ok());
  ASSERT_TRUE((*chain)->WaitForPresent(kFrames, kPatienceNs).ok());
  const auto numbers = pair->output().Numbers();
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
  EXPECT_EQ(numbers.back(), kFrames);
}

// After a round of the ring, a repeated picture sends only tables over the link.
TEST(SwapChainLink, AStillPictureCrossesOnce) {
  for (const std::uint32_t primaries : {0U, 2U}) {
    const auto pair = MakePair();
    ASSERT_TRUE(pair);
    InTurn policy({LinkEncoding::kLossless});
    SwapChainDesc desc = LinkDesc(640, 480, PresentMode::kFifo, policy);
    desc.display_buffers = primaries;
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    {
      const TestApplication application(pair->render(), **chain, desc, kAlpha);
      for (std::uint32_t image = 0; image < (*chain)->image_count(); ++image) application.Draw(image, 7);
    }
    for (std::uint32_t id = 1; id <= 60; ++id) {
      const auto image = (*chain)->Acquire(kPatienceNs);
      ASSERT_TRUE(image.ok());
      ASSERT_TRUE((*chain)->Present(*image, id).ok());
    }
    ASSERT_TRUE((*chain)->WaitForPresent(60, kPatienceNs).ok());
    EXPECT_EQ(pair->output().Numbers(), Range(7, 1));
    EXPECT_LT(policy.bytes(), 4 * 640 * 480 * 4U);
    EXPECT_GT((*chain)->statistics().unchanged_tiles, 900U);
  }
}

TEST(SwapChainLink, EmulatedLink_TakesItsTimeAndSaysSo) {
  constexpr std::uint64_t kBytesPerSecond = 20'000'000;
  const auto pair = MakePair(kBytesPerSecond);
  ASSERT_TRUE(pair);
  InTurn policy({LinkEncoding::kPlain});
  SwapChainDesc desc = LinkDesc(200, 100, PresentMode::kImmediate, policy);
  desc.path = PathRequest::kAuto;
  desc.refresh_period_ns = 2'000'000;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  EXPECT_EQ((*chain)->decision().path, Path::kCompressed);
  EXPECT_NE((*chain)->decision().reason.find("20 MB/s (emulated)"), std::string::npos) << (*chain)->decision().reason;
  const TestApplication application(pair->render(), **chain, desc, kAlpha);
  const std::int64_t start_ns = MonotonicClock().NowNs();
  ASSERT_TRUE(PresentFrames(**chain, application, 1, 20).ok());
  ASSERT_TRUE((*chain)->WaitForPresent(20, kPatienceNs).ok());
  EXPECT_GE(MonotonicClock().NowNs() - start_ns, policy.link_ns());
  EXPECT_EQ(policy.link_ns(), 20 * 4'000'000LL);
}

TEST(SwapChainLink, Auto_AWideLinkTakesPlainFrames) {
  const auto pair = MakePair(1'000'000'000);
  ASSERT_TRUE(pair);
  InTurn policy({LinkEncoding::kPlain});
  SwapChainDesc desc = LinkDesc(64, 64, PresentMode::kFifo, policy);
  desc.path = PathRequest::kAuto;
  const auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  EXPECT_EQ((*chain)->decision().path, Path::kOneCopy);
  ASSERT_EQ((*chain)->decision().refused.size(), 2U);
  EXPECT_NE((*chain)->decision().refused[0].find("enough for plain frames"), std::string::npos);
  EXPECT_NE((*chain)->decision().refused[1].find("would not cross"), std::string::npos);
}

// A driver without link surfaces: frames cross uncoded and slowly, or not at all if only encoding was requested.
TEST(SwapChainLink, DisplayAdapterThatCannotDecode_TheNextPathOrAnError) {
  PairOptions options;
  options.link_bytes_per_second = 20'000'000;
  options.opaque = kAlpha;
  options.open_display = RefusingOpenAdapter10_2;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  Just policy(LinkEncoding::kLossless);
  SwapChainDesc desc = LinkDesc(200, 100, PresentMode::kFifo, policy);
  refuse = Refuse::kLink;
  const auto forced = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  desc.path = PathRequest::kAuto;
  desc.refresh_period_ns = 2'000'000;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  refuse = Refuse::kNothing;
  ASSERT_FALSE(forced.ok());
  EXPECT_EQ(forced.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(forced.error().message.find("did not create a shared buffer"), std::string::npos) << forced.error().message;
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  EXPECT_EQ((*chain)->decision().path, Path::kOneCopy);
  EXPECT_NE((*chain)->decision().refused[0].find("did not create a shared buffer"), std::string::npos);
  const TestApplication application(pair->render(), **chain, desc, kAlpha);
  ASSERT_TRUE(PresentFrames(**chain, application, 1, 5).ok());
  ASSERT_TRUE((*chain)->WaitForPresent(5, kPatienceNs).ok());
  EXPECT_EQ(pair->output().Numbers(), Range(1, 5));
}

// Frames with the maximum number of slices, over a link that needs seconds for each frame.
TEST(SwapChainLink, PresentNeverWaitsForTheLink) {
  const auto pair = MakePair(1'000'000);
  ASSERT_TRUE(pair);
  Just policy(LinkEncoding::kPlain);
  const SwapChainDesc desc = LinkDesc(1024, 512, PresentMode::kFifo, policy);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc, kAlpha);
  ASSERT_TRUE(PresentFrames(**chain, application, 1, 2).ok());
  EXPECT_EQ((*chain)->statistics().frames_shown, 0U);
  EXPECT_LE((*chain)->statistics().full_frame_copies, 1.0) << "The second frame's copy is not even queued.";
  pair->RemoveRender();
  EXPECT_FALSE((*chain)->WaitForPresent(2, kPatienceNs).ok());
}

TEST(SwapChainLink, RefusesMissingPoliciesAndTooManySlices) {
  const auto pair = MakePair();
  ASSERT_TRUE(pair);
  InTurn policy({LinkEncoding::kPlain});
  SwapChainDesc desc = LinkDesc(64, 64, PresentMode::kFifo, policy);
  desc.encodings = nullptr;
  EXPECT_EQ(SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock()).error().kind, ErrorKind::kUnsupported);
  desc = LinkDesc(64, 64, PresentMode::kFifo, policy);
  desc.link_slices = link::kMaxLinkSlices + 1;
  EXPECT_EQ(SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock()).error().kind, ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace tandem::swapchain_test
