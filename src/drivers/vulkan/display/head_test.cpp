#include "drivers/vulkan/display/head.h"

#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"
#include "color/format.h"
#include "drivers/vulkan/testing/test_gpu.h"
#include "drivers/vulkan/testing/x_window.h"
#include "outputs/output.h"

namespace tandem::vulkan {
namespace {

using testing::Driver;
using testing::TestFrame;
using testing::XWindow;

constexpr std::uint32_t kHeadWidth = 161;
constexpr std::uint32_t kHeadHeight = 97;
constexpr std::int64_t kHeadPatienceNs = 20'000'000'000;

// Records the reports to the kernel.
class Blanks final : public Display::Owner {
 public:
  void SetVerticalBlank(std::uint32_t, std::uint64_t address) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    set_ = address;
  }
  void WithdrawVerticalBlank(std::uint32_t, std::uint64_t address) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (set_ == address) set_.reset();
  }
  void RaiseVerticalBlank() override {
    if (const auto before = std::exchange(before_raise_, nullptr)) before();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!set_) return;
      ++count_;
      address_ = *std::exchange(set_, std::nullopt);
    }
    changed_.NotifyAll();
  }
  // The head's thread calls `call` once, before it reads the next report. Must be set before the head has a frame.
  void BeforeRaise(std::function<void()> call) { before_raise_ = std::move(call); }
  bool Await(std::uint64_t address) {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + kHeadPatienceNs;
    while (address_ != address) {
      if (!MonotonicClock().WaitUntil(lock, changed_, deadline_ns)) return address_ == address;
    }
    return true;
  }
  std::uint64_t count() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return count_;
  }
  bool AwaitCount(std::uint64_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + kHeadPatienceNs;
    while (count_ < count) {
      if (!MonotonicClock().WaitUntil(lock, changed_, deadline_ns)) return count_ >= count;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  Condition changed_;
  std::function<void()> before_raise_;
  std::optional<std::uint64_t> set_;
  std::uint64_t count_ = 0;
  std::uint64_t address_ = 0;
};

class HeadTest : public ::testing::TestWithParam<Driver> {
 protected:
  void SetUp() override {
    std::string why_not;
    gpu_ = testing::OpenGpu(GetParam(), why_not);
    if (gpu_ == nullptr) GTEST_SKIP() << why_not;
    window_ = XWindow::Create(kHeadWidth, kHeadHeight);
    if (window_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
    auto head = Head::Create(0, *gpu_, connectors_, blanks_, MonotonicClock());
    ASSERT_TRUE(head.ok()) << head.error().message;
    head_ = *std::move(head);
    head_->EnableInterrupt(true);
  }

  void TearDown() override {
    connectors_.Unplug(0);
    head_.reset();
    window_.reset();
    gpu_.reset();
  }

  void PlugWindow() {
    const auto connector = connectors_.Plug(window_->target());
    ASSERT_TRUE(connector.ok()) << connector.error().message;
    ASSERT_EQ(*connector, 0u);
  }

  // Brings one frame as the kernel would; its address identifies it.
  bool Show(TestFrame& frame, std::uint32_t number, bool immediate) {
    frame.Paint(number);
    head_->Copy(frame.copy(), nullptr);
    const std::uint64_t address = ++next_address_ * 0x1000;
    head_->SetAddress(frame.primary(), address, immediate);
    return blanks_.Await(address);
  }

  // The number of pixels that differ from frame `number` inside width x height, and from black outside.
  std::size_t Differences(const TestFrame& frame, std::uint32_t number, std::uint32_t width, std::uint32_t height,
                          std::uint32_t window_width, std::uint32_t window_height) {
    const auto shot = window_->Screenshot(window_width, window_height);
    if (shot.empty()) return ~std::size_t{0};
    std::size_t different = 0;
    for (std::uint32_t y = 0; y < window_height; ++y) {
      for (std::uint32_t x = 0; x < window_width; ++x) {
        const std::uint32_t expected = x < width && y < height ? frame.Expected(x, y, number) : 0;
        different += shot[std::size_t{y} * window_width + x] != expected;
      }
    }
    return different;
  }

  // A window system may show a frame some time after it accepted it.
  void ExpectShown(const TestFrame& frame, std::uint32_t number, std::uint32_t width, std::uint32_t height,
                   std::uint32_t window_width, std::uint32_t window_height) {
    std::size_t different = 1;
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + kHeadPatienceNs;
    while (different != 0 && MonotonicClock().NowNs() < deadline_ns) {
      different = Differences(frame, number, width, height, window_width, window_height);
    }
    EXPECT_EQ(different, 0u);
  }

  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<XWindow> window_;
  WsiConnectorsImpl connectors_{1};
  Blanks blanks_;
  std::unique_ptr<Head> head_;
  std::uint64_t next_address_ = 0;
};

TEST_P(HeadTest, Flip_FramesOfTwoBuffers_AreShownToThePixelInOrder) {
  PlugWindow();
  TestFrame frames[] = {{*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm}};
  for (std::uint32_t number = 0; number < 8; ++number) {
    ASSERT_TRUE(Show(frames[number % 2], number, false));
    ExpectShown(frames[number % 2], number, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
  }
  EXPECT_EQ(connectors_.CountersOf(0).shown, 8u);
}

TEST_P(HeadTest, Flip_ChannelsInAnotherOrderThanTheWindows_AreConverted) {
  PlugWindow();
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kR8G8B8A8Unorm);
  for (std::uint32_t number = 0; number < 3; ++number) {
    ASSERT_TRUE(Show(frame, number, false));
    ExpectShown(frame, number, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
  }
}

TEST_P(HeadTest, Flip_SrgbFrame_KeepsItsBits) {
  PlugWindow();
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kR8G8B8A8UnormSrgb);
  ASSERT_TRUE(Show(frame, 5, false));
  ExpectShown(frame, 5, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
}

TEST_P(HeadTest, Flip_WindowIsResized_ShowsWhatFitsOnBlack) {
  PlugWindow();
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  ASSERT_TRUE(Show(frame, 0, false));
  window_->Resize(200, 60);
  outputs::OutputStatus status;
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kHeadPatienceNs;
  while (status.width != 200 && MonotonicClock().NowNs() < deadline_ns) status = connectors_.Status(0);
  EXPECT_EQ(status.width, 200u);
  EXPECT_EQ(status.height, 60u);
  for (std::uint32_t number = 1; number < 4; ++number) ASSERT_TRUE(Show(frame, number, false));
  ExpectShown(frame, 3, kHeadWidth, 60, 200, 60);
}

TEST_P(HeadTest, ImmediateFlips_AreReportedAndTheLastIsShown) {
  PlugWindow();
  TestFrame frames[] = {{*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm}};
  for (std::uint32_t number = 0; number < 60; ++number) ASSERT_TRUE(Show(frames[number % 3], number, true));
  ExpectShown(frames[59 % 3], 59, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
  ASSERT_TRUE(Show(frames[0], 60, false));  // returns to FIFO
  ASSERT_TRUE(Show(frames[1], 61, false));
  ExpectShown(frames[1], 61, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
}

TEST_P(HeadTest, ImmediateFlips_OvertakeEachOther_TheLastIsReported) {
  PlugWindow();
  TestFrame frames[] = {{*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm}};
  for (std::uint32_t number = 0; number < 60; ++number) {
    frames[number % 3].Paint(number);
    head_->Copy(frames[number % 3].copy(), nullptr);
    head_->SetAddress(frames[number % 3].primary(), 0x1000 + number, true);
  }
  EXPECT_TRUE(blanks_.Await(0x1000 + 59));
  ExpectShown(frames[59 % 3], 59, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
}

TEST_P(HeadTest, Copy_ThreePrimariesBeforeTheFirstFlip_NeverHangs) {
  PlugWindow();
  TestFrame frames[] = {{*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm}};
  for (TestFrame& frame : frames) head_->Copy(frame.copy(), nullptr);
  for (std::uint64_t i = 0; i < 3; ++i) {
    head_->SetAddress(frames[i].primary(), 0x9000 + i, false);
    EXPECT_TRUE(blanks_.Await(0x9000 + i));
  }
}

TEST_P(HeadTest, Flip_WindowIsDestroyed_IsReportedAndTheStatusIsLost) {
  PlugWindow();
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  ASSERT_TRUE(Show(frame, 0, false));
  window_->Destroy();
  for (std::uint32_t number = 1; number < 6; ++number) EXPECT_TRUE(Show(frame, number, false));
  EXPECT_EQ(connectors_.Status(0).state, outputs::OutputState::kLost);
}

TEST_P(HeadTest, Flip_NothingPlugged_IsReported) {
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  EXPECT_TRUE(Show(frame, 0, false));
  EXPECT_TRUE(Show(frame, 1, false));
  EXPECT_EQ(connectors_.CountersOf(0).shown, 0u);
}

TEST_P(HeadTest, Plug_AfterUnplug_ShowsInTheSameWindowAgain) {
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  for (std::uint32_t round = 0; round < 3; ++round) {
    PlugWindow();
    EXPECT_EQ(connectors_.Status(0).state, outputs::OutputState::kOk);
    ASSERT_TRUE(Show(frame, round, false));
    ExpectShown(frame, round, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
    connectors_.Unplug(0);
    EXPECT_EQ(connectors_.Status(0).state, outputs::OutputState::kLost);
  }
}

TEST_P(HeadTest, Plug_WindowThatDoesNotExist_SaysSo) {
  window_->Destroy();
  const auto connector = connectors_.Plug(window_->target());
  ASSERT_FALSE(connector.ok());
  EXPECT_EQ(connectors_.Status(0).state, outputs::OutputState::kLost);
}

TEST_P(HeadTest, Plug_HeadlessSurface_ShowsFrames) {
  if (!gpu_->surfaces().headless) GTEST_SKIP() << "The driver has no headless surfaces.";
  ASSERT_TRUE(connectors_.Plug(WsiTarget{}).ok());
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  for (std::uint32_t number = 0; number < 10; ++number) ASSERT_TRUE(Show(frame, number, false));
  EXPECT_EQ(connectors_.CountersOf(0).shown, 10u);
}

TEST_P(HeadTest, Visible_WithoutFlips_BlanksGoOn) {
  head_->SetVisible(true);
  EXPECT_TRUE(blanks_.AwaitCount(3));
}

TEST_P(HeadTest, Dark_FlipsAreReportedAndTheLastIsSeenAfterwards) {
  PlugWindow();
  TestFrame frames[] = {{*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm}};
  ASSERT_TRUE(Show(frames[0], 1, false));
  head_->SetVisible(false);
  // More frames than the window has images.
  for (std::uint32_t number = 2; number < 12; ++number) ASSERT_TRUE(Show(frames[number % 2], number, number % 3 == 0));
  EXPECT_EQ(connectors_.CountersOf(0).shown, 1u);
  ExpectShown(frames[0], 1, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
  head_->SetVisible(true);
  ExpectShown(frames[1], 11, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
  EXPECT_EQ(connectors_.CountersOf(0).shown, 2u);
}

TEST_P(HeadTest, Flip_OfWhatIsShown_WaitsForABlankAndIsReported) {
  PlugWindow();
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  ASSERT_TRUE(Show(frame, 3, false));
  const std::uint64_t before = blanks_.count();
  head_->SetAddress(frame.primary(), next_address_ * 0x1000, false);
  EXPECT_TRUE(blanks_.AwaitCount(before + 1));
  EXPECT_EQ(connectors_.CountersOf(0).shown, 1u);
  ExpectShown(frame, 3, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
}

TEST_P(HeadTest, Flip_ToWhatIsAboutToBeReported_IsShownBeforeItIsReported) {
  PlugWindow();
  TestFrame frames[] = {{*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm},
                        {*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm}};
  for (std::uint32_t number = 0; number < 2; ++number) {
    frames[number].Paint(number);
    head_->Copy(frames[number].copy(), nullptr);
  }
  blanks_.BeforeRaise([&] { head_->SetAddress(frames[1].primary(), 0x5000, false); });
  head_->SetAddress(frames[0].primary(), 0x5000, false);
  ASSERT_TRUE(blanks_.Await(0x5000));
  EXPECT_EQ(blanks_.count(), 1u);
  EXPECT_EQ(connectors_.CountersOf(0).shown, 2u);
  ExpectShown(frames[1], 1, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
}

// The first flip's blank comes while the second waits to be shown.
TEST_P(HeadTest, Flip_OvertakenByOneToTheSameAddress_IsNotReportedForIt) {
  head_.reset();
  FakeClock time(1'000'000'000);
  head_ = *Head::Create(0, *gpu_, connectors_, blanks_, time);
  head_->EnableInterrupt(true);
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  head_->SetAddress(frame.primary(), 0x5000, false);
  while (!head_->Keeps(*frame.primary())) std::this_thread::yield();
  time.AwaitWaiters(1);  // for the frame's blank
  head_->SetAddress(frame.primary(), 0x5000, true);
  time.Advance(kVirtualRefreshPeriodNs);
  ASSERT_TRUE(blanks_.Await(0x5000));
  head_->SetAddress(frame.primary(), 0x6000, true);
  ASSERT_TRUE(blanks_.Await(0x6000));
  EXPECT_EQ(blanks_.count(), 2u);
  head_.reset();
}

TEST_P(HeadTest, Interrupt_Disabled_FlipsHappenAndNobodyHears) {
  PlugWindow();
  head_->SetVisible(true);
  head_->EnableInterrupt(false);
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  const std::uint64_t before = blanks_.count();
  frame.Paint(4);
  head_->Copy(frame.copy(), nullptr);
  head_->SetAddress(frame.primary(), 0x7000, false);
  ExpectShown(frame, 4, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
  head_->EnableInterrupt(true);
  EXPECT_TRUE(blanks_.Await(0x7000));
  EXPECT_LE(blanks_.count(), before + 2);  // one report may have been under way
}

TEST_P(HeadTest, BeamPosition_GoesDownThePictureThatIsShown) {
  EXPECT_TRUE(head_->BeamPosition().in_vertical_blank);  // nothing is shown
  PlugWindow();
  TestFrame frame(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  ASSERT_TRUE(Show(frame, 0, false));
  head_->SetVisible(true);
  bool drawn = false;
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kHeadPatienceNs;
  while (!drawn && MonotonicClock().NowNs() < deadline_ns) {
    const Head::Beam beam = head_->BeamPosition();
    EXPECT_LT(beam.line, kHeadHeight);
    drawn = !beam.in_vertical_blank && beam.line > 0;
  }
  EXPECT_TRUE(drawn);
}

TEST_P(HeadTest, Forget_PrimaryWithAnImage_GivesItToTheNextOne) {
  PlugWindow();
  TestFrame kept(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
  for (std::uint32_t number = 0; number < 6; ++number) {
    TestFrame gone(*gpu_, kHeadWidth, kHeadHeight, color::Format::kB8G8R8A8Unorm);
    gone.Paint(number + 100);
    head_->Copy(gone.copy(), nullptr);
    head_->Forget(*gone.copy().source);
    head_->Forget(*gone.primary());
    ASSERT_TRUE(Show(kept, number, false));
  }
  ExpectShown(kept, 5, kHeadWidth, kHeadHeight, kHeadWidth, kHeadHeight);
  head_->Forget(*kept.copy().source);
  head_->Forget(*kept.primary());
}

INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, HeadTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return testing::NameOf(each.param); });

}  // namespace
}  // namespace tandem::vulkan
