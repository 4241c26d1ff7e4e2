// Every stage of a frame is sometimes late; shown frames are still whole and in order.
#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/swapchain/slow_adapters.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::int64_t kRefreshPeriodNs = 1'000'000;
constexpr std::uint32_t kAlpha = 0xFF000000U;
constexpr std::uint32_t kFrames = 32;

// Each stage is sometimes late, by up to three vertical blanks.
class AtRandom final : public Delays {
 public:
  explicit AtRandom(std::uint32_t seed) : state_(seed) {}
  std::int64_t NextNs(Stage stage) override {
    std::uint32_t number = state_.fetch_add(0x9E3779B9U) + static_cast<std::uint32_t>(stage);
    number = (number ^ (number >> 15)) * 0x85EBCA77U;
    number = (number ^ (number >> 13)) * 0xC2B2AE3DU;
    number ^= number >> 16;
    return number % 4 == 0 ? number % (3 * kRefreshPeriodNs) : 0;
  }

 private:
  std::atomic<std::uint32_t> state_;
};

// One stage at a time delays everything longer than all others together: queues before it fill, and queues after it run empty.
class OneAfterTheOther final : public Delays {
 public:
  std::int64_t NextNs(Stage stage) override {
    const std::uint32_t call = calls_++;
    return static_cast<std::uint32_t>(stage) == call / kCallsEach % kStages ? 4 * kRefreshPeriodNs : 0;
  }

 private:
  static constexpr std::uint32_t kCallsEach = 7;  // counts the calls of all stages
  std::atomic<std::uint32_t> calls_{0};
};

// One stage that is always late.
class Always final : public Delays {
 public:
  explicit Always(Stage stage) : stage_(stage) {}
  std::int64_t NextNs(Stage stage) override { return stage == stage_ ? 2 * kRefreshPeriodNs : 0; }

 private:
  const Stage stage_;
};

class InTurn final : public link::EncodingPolicy {
 public:
  link::EncodingChoice Choose(std::int64_t /*now_ns*/, bool /*waited*/) override {
    return {next_++ % 3 == 0 ? LinkEncoding::kPlain : LinkEncoding::kLossless, next_ % 4 == 0};
  }
  void Sent(const link::SentFrame& /*frame*/) override {}
  [[nodiscard]] std::optional<LinkEncoding> Only() const override { return std::nullopt; }
  [[nodiscard]] std::size_t Explain(std::span<char> /*room*/) const override { return 0; }

 private:
  std::uint32_t next_ = 0;
};

struct Way {
  PathRequest path;
  std::uint32_t display_buffers;
};
constexpr std::array<Way, 6> kWays = {{{PathRequest::kDirect, 0},
                                       {PathRequest::kOneCopy, 0},
                                       {PathRequest::kTwoCopy, 0},
                                       {PathRequest::kTwoCopy, 2},
                                       {PathRequest::kCompressed, 0},
                                       {PathRequest::kCompressed, 2}}};

SwapChainDesc Desc(const Way& way, PresentMode mode, link::EncodingPolicy& policy) {
  SwapChainDesc desc;
  desc.width = 48;
  desc.height = 64;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.image_count = 2;
  desc.path = way.path;
  desc.display_buffers = way.display_buffers;
  desc.present_mode = mode;
  desc.refresh_period_ns = kRefreshPeriodNs;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  desc.encodings = &policy;
  return desc;
}

std::unique_ptr<SoftPair> MakePair(const Way& way) {
  PairOptions options;
  options.refresh_period_ns = kRefreshPeriodNs;
  options.opaque = kAlpha;
  options.before_show = [] { Delay(Stage::kBlank); };
  if (way.path == PathRequest::kCompressed) options.link_bytes_per_second = 20'000'000;  // plain frames take 0.6 ms
  return SoftPair::Create(options);
}

// No picture can be drawn once the render adapter is gone.
struct Canvas {
  std::mutex mutex;
  bool gone = false;  // guarded by `mutex`
};

// Each picture is first wrong, then completed after a while. An error of the swap chain ends the loop.
Result<void> PresentSlowly(SwapChain& chain, const TestApplication& application, Canvas& canvas) {
  for (std::uint32_t number = 1; number <= kFrames; ++number) {
    const auto image = chain.Acquire(kPatienceNs);
    if (!image.ok()) return image.error();
    {
      const std::lock_guard lock(canvas.mutex);
      if (!canvas.gone) {
        application.Draw(*image, 0x55555555);
        Delay(Stage::kDraw);
        application.Draw(*image, number);
      }
    }
    if (auto presented = chain.Present(*image, number); !presented.ok()) return presented;
  }
  return chain.WaitForPresent(kFrames, kPatienceNs);
}

void ShowUnder(Delays& delays, const Way& way, PresentMode mode) {
  SCOPED_TRACE(std::string(ToString(way.path)) + " " + std::to_string(way.display_buffers) + " " + std::string(ToString(mode)));
  const SlowAdapters slow(delays);
  const auto pair = MakePair(way);
  ASSERT_TRUE(pair);
  InTurn policy;
  const SwapChainDesc desc = Desc(way, mode, policy);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc, kAlpha);
  Canvas canvas;
  const auto shown = PresentSlowly(**chain, application, canvas);
  ASSERT_TRUE(shown.ok()) << shown.error().message;
  const auto numbers = pair->output().Numbers();
  ASSERT_FALSE(numbers.empty());
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(numbers.back(), kFrames);
  if (mode != PresentMode::kMailbox) {
    EXPECT_EQ(numbers.size(), kFrames) << "a frame is lost";
  }
}

class SwapChainDelays : public testing::TestWithParam<PresentMode> {};

TEST_P(SwapChainDelays, AtRandom_FramesAreWholeAndInOrder) {
  std::uint32_t seed = 1;
  for (const Way& way : kWays) {
    AtRandom delays(seed++);
    ASSERT_NO_FATAL_FAILURE(ShowUnder(delays, way, GetParam()));
  }
}

TEST_P(SwapChainDelays, OneStageAfterTheOther_FramesAreWholeAndInOrder) {
  for (const Way& way : kWays) {
    OneAfterTheOther delays;
    ASSERT_NO_FATAL_FAILURE(ShowUnder(delays, way, GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, SwapChainDelays,
                         testing::Values(PresentMode::kFifo, PresentMode::kMailbox, PresentMode::kImmediate),
                         [](const auto& mode) { return std::string(ToString(mode.param)); });

TEST(SwapChainDelays, OneStageAlways_FramesAreWholeAndInOrder) {
  for (std::uint8_t stage = 0; stage < kStages; ++stage) {
    SCOPED_TRACE(int{stage});
    Always delays(static_cast<Stage>(stage));
    for (const Way& way : {kWays[3], kWays[4], kWays[5]}) ASSERT_NO_FATAL_FAILURE(ShowUnder(delays, way, PresentMode::kFifo));
  }
}

TEST(SwapChainDelays, AdapterGoesMeanwhile_NothingHalfIsShown) {
  std::uint32_t seed = 100;
  for (const Way& way : kWays) {
    for (const bool render : {true, false}) {
      AtRandom delays(seed++);
      const SlowAdapters slow(delays);
      const auto pair = MakePair(way);
      ASSERT_TRUE(pair);
      InTurn policy;
      const SwapChainDesc desc = Desc(way, PresentMode::kFifo, policy);
      auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
      ASSERT_TRUE(chain.ok()) << chain.error().message;
      const TestApplication application(pair->render(), **chain, desc, kAlpha);
      Canvas canvas;
      ErrorKind ended = ErrorKind::kInternal;
      std::thread program([&] {
        const auto shown = PresentSlowly(**chain, application, canvas);
        if (!shown.ok()) ended = shown.error().kind;
      });
      while ((*chain)->statistics().frames_shown < kFrames / 4) std::this_thread::yield();
      {
        const std::lock_guard lock(canvas.mutex);
        canvas.gone = true;
        render ? pair->RemoveRender() : pair->RemoveDisplay();
      }
      program.join();
      EXPECT_EQ(ended, render ? ErrorKind::kDeviceLost : ErrorKind::kSurfaceLost) << ToString(ended);
      const auto numbers = pair->output().Numbers();
      EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
      EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    }
  }
}

// The reader detects a picture whose last row belongs to the next frame.
TEST(SwapChainDelays, PictureOfTwoFrames_IsSeen) {
  AtRandom delays(7);
  const SlowAdapters slow(delays);
  const auto pair = MakePair(kWays[4]);
  ASSERT_TRUE(pair);
  InTurn policy;
  const SwapChainDesc desc = Desc(kWays[4], PresentMode::kFifo, policy);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc, kAlpha);
  const auto image = (*chain)->Acquire(kPatienceNs);
  ASSERT_TRUE(image.ok());
  application.DrawRows(*image, 1, 0, desc.height - 1);
  application.DrawRows(*image, 2, desc.height - 1, 1);
  ASSERT_TRUE((*chain)->Present(*image, 1).ok());
  ASSERT_TRUE((*chain)->WaitForPresent(1, kPatienceNs).ok());
  EXPECT_EQ(pair->output().Numbers(), std::vector<std::uint32_t>{ReadingOutput::kBroken});
}

}  // namespace
}  // namespace tandem::swapchain_test
