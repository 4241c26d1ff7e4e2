// Frames through a user-mode driver made of two: drawn by one adapter, shown by the other.
#include <array>

#include "swapchain/fence.h"
#include "tests/shim/composite_fixture.h"

namespace tandem::shim_test {
namespace {

using swapchain::Sharing;

class CompositeFrames : public CompositeTest, public ::testing::WithParamInterface<Sharing> {};

// Shared primaries are drawn into by the render adapter; private ones are written by the display adapter, out of the shim's own
// pages.
TEST_P(CompositeFrames, EachFrame_IsDrawnByOneAdapterAndShownByTheOtherWhole) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  const std::array primaries{MakePrimary(GetParam()), MakePrimary(GetParam()), MakePrimary(GetParam())};
  const auto draws = pair_->kernel().Counters(pair_->render().binding().luid)->submissions;
  for (std::uint32_t number = 1; number <= 24; ++number) {
    const auto& primary = *primaries[number % primaries.size()];
    Draw(number, primary);
    const auto flipped = Flip(primary);
    ASSERT_TRUE(flipped.ok()) << flipped.error().message;
    ASSERT_TRUE(AwaitShown(number)) << number;
  }
  const auto shown = pair_->output().Numbers();
  std::vector<std::uint32_t> due;
  for (std::uint32_t number = 1; number <= 24; ++number) due.push_back(number);
  EXPECT_EQ(shown, due);
  // A copy of the program's for each frame, and one of the shim's out of targets that do not cross.
  EXPECT_GE(pair_->kernel().Counters(pair_->render().binding().luid)->submissions,
            draws + (GetParam() == Sharing::kPrivate ? 48U : 24U));
  // The first primary may be lit by its mode before its flip.
  EXPECT_GE(pair_->kernel().Counters(pair_->display_luid())->flips, 23U);
}

// Frames pile up behind the vertical blank; a buffer that is still on the screen is not drawn into.
TEST_P(CompositeFrames, FramesWithoutAPause_NeverTear) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  const std::array primaries{MakePrimary(GetParam()), MakePrimary(GetParam())};
  for (std::uint32_t number = 1; number <= 40; ++number) {
    const auto& primary = *primaries[number % primaries.size()];
    Draw(number, primary);
    const auto flipped = Flip(primary);
    ASSERT_TRUE(flipped.ok()) << flipped.error().message;
  }
  ASSERT_TRUE(AwaitShown(40));
  std::uint32_t last = 0;
  for (const std::uint32_t number : pair_->output().Numbers()) {
    EXPECT_GT(number, last);
    EXPECT_LE(number, 40U);
    last = number;
  }
}

TEST_P(CompositeFrames, RotatedIdentities_GoAlongOnBothAdapters) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  const std::array primaries{MakePrimary(GetParam()), MakePrimary(GetParam())};
  for (std::uint32_t number = 1; number <= 6; ++number) {
    Draw(number, *primaries[0]);
    ASSERT_TRUE(Flip(*primaries[0]).ok());
    ASSERT_TRUE(AwaitShown(number)) << number;
    ASSERT_EQ(Rotate(*primaries[0], *primaries[1]), S_OK);
  }
}

INSTANTIATE_TEST_SUITE_P(Shim, CompositeFrames, ::testing::Values(Sharing::kPrivate, Sharing::kCrossAdapter),
                         [](const auto& chosen) { return chosen.param == Sharing::kPrivate ? "private" : "shared"; });

class CompositeDevices : public CompositeTest {};

// The render adapter is held back: the present returns, the old picture stays, and the event lets the new one on.
TEST_F(CompositeDevices, Present_NeverWaitsForTheCopyEvent) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  const std::array primaries{MakePrimary(Sharing::kPrivate), MakePrimary(Sharing::kPrivate)};
  Draw(1, *primaries[0]);
  ASSERT_TRUE(Flip(*primaries[0]).ok());
  ASSERT_TRUE(AwaitShown(1));
  const auto blanks = [&] { return pair_->kernel().Counters(pair_->display_luid())->vsyncs; };
  auto hold = swapchain::MonitoredFence::Create(pair_->render().kernel_device());
  ASSERT_TRUE(hold.ok());
  Draw(2, *primaries[1]);
  ASSERT_TRUE((*hold)->Hold(render_partner.context, 1).ok());
  ASSERT_TRUE(Flip(*primaries[1]).ok());
  for (const auto before = blanks(); blanks() < before + 3;) std::this_thread::yield();
  EXPECT_EQ(pair_->output().Numbers().back(), 1U);
  ASSERT_TRUE((*hold)->SignalNow(1).ok());
  EXPECT_TRUE(AwaitShown(2));
}

TEST_F(CompositeDevices, RenderAdapterIsRemoved_PresentsAnswerDeviceLost_AndTheDisplaySideLives) {
  Plug({});
  ASSERT_TRUE(Open().ok());
  const auto primary = MakePrimary(Sharing::kPrivate);
  Draw(1, *primary);
  ASSERT_TRUE(Flip(*primary).ok());
  ASSERT_TRUE(AwaitShown(1));
  pair_->RemoveRender();
  const auto lost = Flip(*primary);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().kind, ErrorKind::kDeviceLost) << lost.error().message;
  const auto violation = pair_->kernel().Violation(pair_->display_luid());
  ASSERT_TRUE(violation.ok());
  EXPECT_EQ(*violation, "");
}

TEST_F(CompositeDevices, OpenedAndClosed_ClosesBothDrivers) {
  Plug({});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Open().ok());
    device_.reset();
  }
  EXPECT_EQ(display_partner.adapters_opened, 3);
  EXPECT_EQ(render_partner.devices_made, 3);
  EXPECT_TRUE(display_partner.closed());
  EXPECT_TRUE(render_partner.closed());
}

}  // namespace
}  // namespace tandem::shim_test
