// Flips when a mode is set, or when their source becomes invisible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "kernel/testing/flip_queue_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(FlipQueueTest, SetMode_WithPendingFlips_ProgramsAtPassive_AndRetiresAllWhenReported) {
  StartVisible();
  for (const std::uint64_t address : {kA, kB}) ASSERT_EQ(queue_->Queue(0, FlipTo(address)), STATUS_SUCCESS);
  ASSERT_EQ(SetMode(kD), STATUS_SUCCESS);
  Settle();
  EXPECT_THAT(Programmed(), ElementsAre(kA, kD));
  EXPECT_EQ(programmed_[1].Flags.Value, 0x1U);  // ModeChange
  EXPECT_EQ(programmed_[1].ContextCount, 0U);
  Vsync(kC);
  EXPECT_THAT(RetiredCookies(), IsEmpty()) << "The surface before them is still on the screen.";
  Vsync(kD);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB, kD));
  for (const auto& [cookie, time_ns] : retired_) EXPECT_EQ(time_ns, clock_.NowNs());
  EXPECT_EQ(adapter_->counters().flips, 1U);
}

TEST_F(FlipQueueTest, SetMode_OfAClone_RetiresWhenEveryTargetReportedIt) {
  StartClone();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(SetMode(kD), STATUS_SUCCESS);
  VsyncOf(2, kD);
  VsyncOf(1, kC);
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  VsyncOf(1, kD);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kD));
}

TEST_F(FlipQueueTest, FlipBehindAModeThatIsNotReported_IsProgrammed_AndRetiresBoth) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(SetMode(kD), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kE)), STATUS_SUCCESS);
  EXPECT_THAT(Programmed(), ElementsAre(kA, kD, kE));
  Vsync(kD);
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  Vsync(kE);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kD, kE));
}

TEST_F(FlipQueueTest, FlipsThatAreHeld_FollowTheModeThatWasIssuedBefore) {
  StartVisible();
  queue_->HoldFlips(0);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kE)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->SetMode(0, FlipTo(kD), FlipQueue::FirstFlip::kIsProgrammed), STATUS_SUCCESS);
  EXPECT_THAT(Programmed(), ElementsAre(kD));
  queue_->ReleaseFlips(0);
  EXPECT_THAT(Programmed(), ElementsAre(kD, kE)) << "The mode change is younger than the first flip.";
  Vsync(kE);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kB, kD, kE));
}

TEST_F(FlipQueueTest, SetMode_DriverRefuses_OvertakesNothing) {
  StartVisible();
  for (const std::uint64_t address : {kA, kB}) ASSERT_EQ(queue_->Queue(0, FlipTo(address)), STATUS_SUCCESS);
  const auto accept = std::exchange(miniport_.on_set_vidpn_source_address,
                                    [](const DXGKARG_SETVIDPNSOURCEADDRESS*) { return STATUS_INVALID_PARAMETER; });
  EXPECT_EQ(SetMode(kD), STATUS_INVALID_PARAMETER);
  miniport_.on_set_vidpn_source_address = accept;
  for (const std::uint64_t address : {kA, kB}) Vsync(address);
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB));
}

TEST_F(FlipQueueTest, ModeOfTheSurfaceOnTheScreen_VsyncFromBeforeIt_RetiresNothing) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  clock_.Advance(kPeriodNs);
  HoldDpcOf(0, kC);
  clock_.Advance(1);
  ASSERT_EQ(SetMode(kC), STATUS_SUCCESS);
  ReleaseDpc();
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  Vsync(kC);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kC));
}

TEST_F(FlipQueueTest, SourceThatBecomesInvisible_RetiresWhatAModeOvertook) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(SetMode(kD), STATUS_SUCCESS);
  ASSERT_EQ(queue_->SetVisibility(0, false), STATUS_SUCCESS);
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kD));
}

TEST_F(FlipQueueTest, ModeThatCountsAsTheFirstFlip_ShowsTheSurfaceOnce) {
  StartVisible();
  ASSERT_EQ(SetMode(kA, FlipQueue::FirstFlip::kIsTheModeChange), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB)), STATUS_SUCCESS);
  EXPECT_THAT(Programmed(), ElementsAre(kA));  // the mode change
  Vsync(kA);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kA)) << "The mode change and the flip.";
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  Vsync(kB);
  // A later flip to the same surface is a flip.
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB, kA));
}

TEST_F(FlipQueueTest, ModeThatCountsAsTheFirstFlip_AnotherSurfaceIsProgrammed) {
  StartVisible();
  ASSERT_EQ(SetMode(kA, FlipQueue::FirstFlip::kIsTheModeChange), STATUS_SUCCESS);
  for (const std::uint64_t address : {kB, kA}) {
    ASSERT_EQ(queue_->Queue(0, FlipTo(address)), STATUS_SUCCESS);
    Vsync(address);
  }
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB, kA));
}

TEST_F(FlipQueueTest, SetVisibility_FirstAndLastSource_ControlsTheInterrupt) {
  Start();
  queue_ = FlipQueue::Create(*adapter_, *this);
  miniport_.ForgetCalls();
  EXPECT_EQ(queue_->SetVisibility(0, true), STATUS_SUCCESS);
  EXPECT_EQ(queue_->SetVisibility(0, true), STATUS_SUCCESS);
  EXPECT_THAT(miniport_.names(), ElementsAre("DxgkDdiControlInterrupt", "DxgkDdiSetVidPnSourceVisibility"));
  miniport_.ForgetCalls();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  EXPECT_EQ(queue_->SetVisibility(0, false), STATUS_SUCCESS);
  EXPECT_THAT(miniport_.names(),
              ElementsAre("DxgkDdiSetVidPnSourceAddress", "DxgkDdiSetVidPnSourceVisibility", "DxgkDdiControlInterrupt"));
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB)), STATUS_SUCCESS);  // nobody would report it
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB));
}

}  // namespace
}  // namespace tandem::kernel
