// A display adapter that is lost while frames are on their way: the next one shows the frames that follow, whole and in order,
// and the program hears nothing of it.
#include <algorithm>
#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/sanitizer.h"
#include "tests/swapchain/slow_adapters.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using link::LinkEncoding;
using swapchain::NextDisplay;
using swapchain::Path;
using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

constexpr std::int64_t kRefreshPeriodNs = 1'000'000;
constexpr std::uint32_t kAlpha = 0xFF000000U;
constexpr std::uint32_t kFrames = 40;
constexpr std::uint32_t kFramesBefore = 12;

struct Way {
  PathRequest path;
  std::uint32_t display_buffers;
  std::uint32_t next_tier;
  Path next_path;
};
constexpr std::array<Way, 9> kWays = {{{PathRequest::kAuto, 0, 3, Path::kOneCopy},  // direct at first
                                       {PathRequest::kAuto, 0, 2, Path::kTwoCopy},
                                       {PathRequest::kAuto, 2, 1, Path::kTwoCopy},
                                       {PathRequest::kOneCopy, 0, 3, Path::kOneCopy},
                                       {PathRequest::kTwoCopy, 0, 3, Path::kTwoCopy},
                                       {PathRequest::kTwoCopy, 2, 1, Path::kTwoCopy},
                                       {PathRequest::kCompressed, 0, 1, Path::kCompressed},
                                       {PathRequest::kCompressed, 2, 3, Path::kCompressed},
                                       {PathRequest::kCompressed, 3, 2, Path::kCompressed}}};

PairOptions Options(const Way& way) {
  PairOptions options;
  options.refresh_period_ns = kRefreshPeriodNs;
  options.opaque = kAlpha;
  options.before_show = [] { Delay(Stage::kBlank); };
  if (way.path == PathRequest::kCompressed) options.link_bytes_per_second = 20'000'000;
  return options;
}

SwapChainDesc LosingDesc(const Way& way, link::EncodingPolicy* policy) {
  SwapChainDesc desc = DrawnByProcessor(48, 64, way.path);
  desc.refresh_period_ns = kRefreshPeriodNs;
  desc.display_buffers = way.display_buffers;
  desc.encodings = policy;
  return desc;
}

// Gives out displays, one after the other.
class Given final : public swapchain::DisplaySuccession {
 public:
  Result<NextDisplay> TakeNext() override {
    ++asked;
    if (refusals > 0) return --refusals, Fail(ErrorKind::kTimeout, "There is none yet.");
    if (next == displays.size()) return Fail(ErrorKind::kNotFound, "There is no other display.");
    NextDisplay display;
    display.display = displays[next++];
    display.refresh_period_ns = kRefreshPeriodNs;
    return display;
  }

  std::vector<swapchain::RuntimeDevice*> displays;
  std::size_t next = 0;
  std::atomic<std::uint32_t> asked{0};
  std::uint32_t refusals = 0;
};

// Checks what two outputs showed, the second after the first.
void ExpectWholeAndInOrder(const ReadingOutput& first, const ReadingOutput& second, std::uint32_t last) {
  std::vector<std::uint32_t> numbers = first.Numbers();
  const std::vector<std::uint32_t> later = second.Numbers();
  ASSERT_FALSE(later.empty());
  numbers.insert(numbers.end(), later.begin(), later.end());
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(numbers.back(), last);
}

class NextDisplayOf : public testing::TestWithParam<PresentMode> {};

TEST_P(NextDisplayOf, EachPath_ShowsTheFramesThatFollow) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(std::string(ToString(way.path)) + " to tier " + std::to_string(way.next_tier));
    PairOptions options = Options(way);
    const auto pair = SoftPair::Create(options);
    ASSERT_TRUE(pair);
    options.display_tier = way.next_tier;
    const auto spare = pair->AddDisplay(options);
    ASSERT_TRUE(spare);
    Given given;
    given.displays = {spare->device.get()};
    Just policy(LinkEncoding::kLossless);
    SwapChainDesc desc = LosingDesc(way, way.path == PathRequest::kCompressed ? &policy : nullptr);
    desc.present_mode = GetParam();
    desc.succession = &given;
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    if (way.path == PathRequest::kAuto) {
      EXPECT_EQ((*chain)->decision().path, Path::kDirect);
    }
    const TestApplication application(pair->render(), **chain, desc, kAlpha);
    ASSERT_TRUE(PresentFrames(**chain, application, 1, kFramesBefore).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(kFramesBefore, kPatienceNs).ok());
    pair->RemoveDisplay();
    const auto presented = PresentFrames(**chain, application, kFramesBefore + 1, kFrames - kFramesBefore);
    ASSERT_TRUE(presented.ok()) << presented.error().message;
    const auto shown = (*chain)->WaitForPresent(kFrames, kPatienceNs);
    ASSERT_TRUE(shown.ok()) << shown.error().message;
    ExpectWholeAndInOrder(pair->output(), *spare->output, kFrames);
    EXPECT_EQ((*chain)->decision().path, way.next_path) << (*chain)->decision().reason;
    const auto changes = (*chain)->display_changes();
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].from, "display");
    EXPECT_EQ(changes[0].to, "spare");
    EXPECT_EQ(changes[0].path, way.next_path);
    EXPECT_GT(changes[0].frame, kFramesBefore);
    const auto statistics = (*chain)->statistics();
    EXPECT_EQ(statistics.frames_presented, kFrames);
    EXPECT_EQ(statistics.frames_presented, statistics.frames_shown + statistics.frames_dropped);
    if (GetParam() == PresentMode::kFifo) {
      EXPECT_EQ(statistics.frames_dropped, changes[0].frames_lost);
    }
    chain->reset();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, NextDisplayOf,
                         testing::Values(PresentMode::kFifo, PresentMode::kMailbox, PresentMode::kImmediate),
                         [](const auto& mode) { return std::string(ToString(mode.param)); });

// Tells when a frame is in a stage, and keeps it there for a while.
class AtStage final : public Delays {
 public:
  // `count`: of the calls of `stage`, from 1.
  AtStage(Stage stage, std::uint32_t count) : stage_(stage), left_(count) {}

  std::int64_t NextNs(Stage stage) override {
    if (stage != stage_ || --left_ != 0) return 0;
    {
      const std::lock_guard lock(mutex_);
      reached_ = true;
    }
    changed_.notify_all();
    return kStageNs;
  }
  // False when the stage does not come.
  [[nodiscard]] bool Await() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::nanoseconds(kPatienceNs), [this] { return reached_; });
  }

 private:
  static constexpr std::int64_t kStageNs = 4 * kRefreshPeriodNs;
  const Stage stage_;
  std::atomic<std::uint32_t> left_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false;
};

enum class Gone { kRender, kDisplay };

// No picture can be drawn once the render adapter is gone.
struct Canvas {
  std::mutex mutex;
  bool gone = false;                 // guarded by `mutex`
  std::atomic<bool> removed{false};  // an adapter; the last frames wait for that
};

Result<void> PresentAll(SwapChain& chain, const TestApplication& application, Canvas& canvas) {
  for (std::uint32_t number = 1; number <= kFrames; ++number) {
    while (number == kFrames / 2 && !canvas.removed) std::this_thread::yield();
    const auto image = chain.Acquire(kPatienceNs);
    if (!image.ok()) return image.error();
    Delay(Stage::kDraw);
    {
      const std::lock_guard lock(canvas.mutex);
      if (!canvas.gone) application.Draw(*image, number);
    }
    if (auto presented = chain.Present(*image, number); !presented.ok()) return presented;
  }
  return chain.WaitForPresent(kFrames, kPatienceNs);
}

void RemoveAt(Stage stage, std::uint32_t count, const Way& way, Gone gone) {
  SCOPED_TRACE(std::string(ToString(way.path)) + " " + std::to_string(way.display_buffers) + ", stage " +
               std::to_string(static_cast<int>(stage)) + ", call " + std::to_string(count));
  AtStage delays(stage, count);
  const SlowAdapters slow(delays);
  PairOptions options = Options(way);
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  options.display_tier = way.next_tier;
  options.before_show = {};
  const auto spare = pair->AddDisplay(options);
  ASSERT_TRUE(spare);
  Given given;
  given.displays = {spare->device.get()};
  Just policy(LinkEncoding::kLossless);
  SwapChainDesc desc = LosingDesc(way, way.path == PathRequest::kCompressed ? &policy : nullptr);
  desc.succession = &given;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  Canvas canvas;
  const auto application = std::make_unique<TestApplication>(pair->render(), **chain, desc, kAlpha);
  Result<void> done;
  std::thread program([&] { done = PresentAll(**chain, *application, canvas); });
  const bool reached = delays.Await();
  if (reached && gone == Gone::kDisplay) pair->RemoveDisplay();
  if (reached && gone == Gone::kRender) {
    const std::lock_guard lock(canvas.mutex);
    canvas.gone = true;
    pair->RemoveRender();
  }
  canvas.removed = true;
  program.join();
  ASSERT_TRUE(reached);
  if (gone == Gone::kRender) {
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().kind, ErrorKind::kDeviceLost) << done.error().message;
    EXPECT_EQ(given.asked, 0U);
    const auto numbers = pair->output().Numbers();
    EXPECT_EQ(std::count(numbers.begin(), numbers.end(), ReadingOutput::kBroken), 0);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
    return;
  }
  ASSERT_TRUE(done.ok()) << done.error().message;
  ExpectWholeAndInOrder(pair->output(), *spare->output, kFrames);
  ASSERT_EQ((*chain)->display_changes().size(), 1U);
  EXPECT_EQ((*chain)->decision().path, way.next_path);
}

bool Passes(const Way& way, Stage stage) {
  const bool direct = way.path == PathRequest::kAuto;
  const bool copies_twice = way.path == PathRequest::kTwoCopy || way.path == PathRequest::kCompressed;
  if (stage == Stage::kDisplaySubmit || stage == Stage::kDisplayDone) return copies_twice;
  return !direct || (stage != Stage::kRenderSubmit && stage != Stage::kRenderDone);
}

TEST(NextDisplay, DisplayAdapterGoesAtEachStage_FramesGoOnWholeAndInOrder) {
  for (std::uint8_t stage = 0; stage < kStages; ++stage) {
    for (const Way& way : kWays) {
      if (!Passes(way, static_cast<Stage>(stage))) continue;
      for (const std::uint32_t count : {1U, 5U}) {
        if (kUnderSanitizer && count == 1) continue;
        ASSERT_NO_FATAL_FAILURE(RemoveAt(static_cast<Stage>(stage), count, way, Gone::kDisplay));
      }
    }
  }
}

TEST(NextDisplay, RenderAdapterGoesAtEachStage_IsDeviceLostAndNothingHalfIsShown) {
  for (std::uint8_t stage = 0; stage < kStages; ++stage) {
    for (const Way& way : kWays) {
      if (Passes(way, static_cast<Stage>(stage))) {
        ASSERT_NO_FATAL_FAILURE(RemoveAt(static_cast<Stage>(stage), 5, way, Gone::kRender));
      }
    }
  }
}

class Follows : public testing::Test {
 protected:
  void SetUp() override {
    pair_ = SoftPair::Create(Options(kWay));
    ASSERT_TRUE(pair_);
    desc_ = LosingDesc(kWay, nullptr);
    desc_.succession = &given_;
  }
  void TearDown() override { chain_.reset(); }
  void Create() {
    auto chain = SwapChain::Create(pair_->render(), pair_->display(), desc_, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    chain_ = *std::move(chain);
  }
  // Frames `first` to `last`.
  Result<void> Show(std::uint32_t first, std::uint32_t last) {
    const TestApplication application(pair_->render(), *chain_, desc_, kAlpha);
    if (auto presented = PresentFrames(*chain_, application, first, last - first + 1); !presented.ok()) return presented;
    return chain_->WaitForPresent(last, kPatienceNs);
  }
  void AddSpare() {
    spares_.push_back(pair_->AddDisplay(Options(kWay)));
    ASSERT_TRUE(spares_.back());
    given_.displays.push_back(spares_.back()->device.get());
  }
  // The last frame that `spare` showed; 0: none.
  [[nodiscard]] std::uint32_t LastOn(std::size_t spare) const {
    const auto numbers = spares_[spare]->output->Numbers();
    return numbers.empty() ? 0 : numbers.back();
  }
  // Removes the display, and the first of two spares once `taking` returns true. The second one shows the last frames.
  void LoseSpareOnce(const std::function<bool()>& taking) {
    for (int i = 0; i < 2; ++i) ASSERT_NO_FATAL_FAILURE(AddSpare());
    ASSERT_NO_FATAL_FAILURE(Create());
    ASSERT_TRUE(Show(1, 3).ok());
    pair_->RemoveDisplay();
    while (!taking()) std::this_thread::yield();
    ASSERT_TRUE(pair_->kernel().RemoveAdapter(spares_[0]->luid).ok());
    // A spare that has shown nothing can lose a frame in each of its buffers. One frame more waits for the next spare.
    const std::uint32_t last = 4 + desc_.ring_buffers;
    ASSERT_TRUE(Show(4, last).ok());
    EXPECT_EQ(LastOn(0), 0U);
    EXPECT_EQ(LastOn(1), last);
    EXPECT_EQ(given_.asked, 2U);
  }

  static constexpr Way kWay{PathRequest::kOneCopy, 0, 3, Path::kOneCopy};
  std::unique_ptr<SoftPair> pair_;
  std::vector<std::unique_ptr<Spare>> spares_;  // destroyed before the pair
  Given given_;
  SwapChainDesc desc_;
  std::unique_ptr<SwapChain> chain_;
};

TEST_F(Follows, EachSpareIsLostInTurn_TheLastOneShows) {
  for (int i = 0; i < 4; ++i) ASSERT_NO_FATAL_FAILURE(AddSpare());
  ASSERT_NO_FATAL_FAILURE(Create());
  ASSERT_TRUE(Show(1, 3).ok());
  // The swap chain moves as soon as its display is lost. Only a spare that is removed earlier is gone before its turn.
  ASSERT_TRUE(pair_->kernel().RemoveAdapter(spares_[0]->luid).ok());
  pair_->RemoveDisplay();
  // The picture on the screen keeps a buffer, so at most two of three frames are lost.
  ASSERT_TRUE(Show(4, 6).ok());
  ASSERT_TRUE(pair_->kernel().RemoveAdapter(spares_[1]->luid).ok());
  ASSERT_TRUE(Show(7, 9).ok());
  ASSERT_TRUE(pair_->kernel().RemoveAdapter(spares_[2]->luid).ok());
  ASSERT_TRUE(Show(10, 12).ok());
  EXPECT_EQ(LastOn(3), 12U);
  EXPECT_EQ(given_.asked, 4U);
  EXPECT_EQ(chain_->display_changes().size(), 3U);
}

TEST_F(Follows, SpareIsLostWhileItTakesOver_TheNextOneShows) {
  ASSERT_NO_FATAL_FAILURE(LoseSpareOnce([this] { return given_.asked != 0; }));
  // The first spare's change counts if it is complete before the removal.
  const std::size_t changes = chain_->display_changes().size();
  EXPECT_TRUE(changes == 1 || changes == 2) << changes;
}

TEST_F(Follows, SpareIsLostBeforeItShows_BothChangesCount) {
  ASSERT_NO_FATAL_FAILURE(LoseSpareOnce([this] { return !chain_->display_changes().empty(); }));
  EXPECT_EQ(chain_->display_changes().size(), 2U);
}

TEST_F(Follows, NoneIsLeft_IsSurfaceLost) {
  ASSERT_NO_FATAL_FAILURE(Create());
  pair_->RemoveDisplay();
  const auto shown = Show(1, 9);
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kSurfaceLost) << shown.error().message;
  EXPECT_EQ(given_.asked, 1U);
}

TEST_F(Follows, DirectPathWasAskedFor_IsOutOfDate) {
  desc_.path = PathRequest::kDirect;
  ASSERT_NO_FATAL_FAILURE(AddSpare());
  ASSERT_NO_FATAL_FAILURE(Create());
  pair_->RemoveDisplay();
  const auto shown = Show(1, 9);
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kOutOfDate) << shown.error().message;
  EXPECT_NE(shown.error().message.find("the program's images were made for another display adapter"), std::string::npos)
      << shown.error().message;
}

TEST_F(Follows, NoneIsThereYet_TheSwapChainWaits) {
  given_.refusals = 2;
  ASSERT_NO_FATAL_FAILURE(AddSpare());
  ASSERT_NO_FATAL_FAILURE(Create());
  ASSERT_TRUE(Show(1, 3).ok());
  pair_->RemoveDisplay();
  ASSERT_TRUE(Show(4, 9).ok());
  EXPECT_EQ(LastOn(0), 9U);
  EXPECT_EQ(given_.asked, 3U);
}

TEST_F(Follows, SwapChainGoesWhileItWaits_EndsAtOnce) {
  given_.refusals = 1'000'000;
  ASSERT_NO_FATAL_FAILURE(Create());
  ASSERT_TRUE(Show(1, 3).ok());
  pair_->RemoveDisplay();
  while (given_.asked == 0) std::this_thread::yield();
  EXPECT_EQ(chain_->WaitForPresent(4, 1'000'000).error().kind, ErrorKind::kTimeout);
  chain_.reset();
}

TEST_F(Follows, FramesOnTheirWay_AreLostAndNobodyWaitsForThem) {
  PairOptions slow = Options(kWay);
  slow.refresh_period_ns = kPatienceNs;  // frames are still on their way when the display goes
  pair_.reset();                         // one kernel at a time
  pair_ = SoftPair::Create(slow);
  ASSERT_TRUE(pair_);
  ASSERT_NO_FATAL_FAILURE(AddSpare());
  ASSERT_NO_FATAL_FAILURE(Create());
  {
    const TestApplication application(pair_->render(), *chain_, desc_, kAlpha);
    ASSERT_TRUE(PresentFrames(*chain_, application, 1, 3).ok());
  }
  pair_->RemoveDisplay();
  const auto waited = chain_->WaitForPresent(3, kPatienceNs);
  EXPECT_TRUE(waited.ok()) << waited.error().message;
  ASSERT_TRUE(Show(4, 4).ok());
  ASSERT_EQ(chain_->display_changes().size(), 1U);
  EXPECT_GT(chain_->display_changes()[0].frames_lost, 0U);
  EXPECT_EQ(chain_->statistics().frames_dropped, chain_->display_changes()[0].frames_lost);
}

}  // namespace
}  // namespace tandem::swapchain_test
