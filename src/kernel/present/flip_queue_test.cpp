#include "kernel/present/flip_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "kernel/testing/flip_queue_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(FlipQueueTest, Queue_Idle_ProgramsAtDirqlAndRetiresAtItsVsync) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(programmed_.size(), 1U);
  EXPECT_EQ(programmed_[0].PrimarySegment, 2U);
  EXPECT_EQ(programmed_[0].PrimaryAddress.QuadPart, static_cast<LONGLONG>(kA));
  EXPECT_EQ(programmed_[0].hAllocation, FlipTo(kA).allocation);
  EXPECT_EQ(programmed_[0].ContextCount, 1U);
  EXPECT_EQ(programmed_[0].Context[0], FlipTo(kA).context);
  EXPECT_EQ(programmed_[0].Flags.Value, 0x4U);  // FlipOnNextVSync
  EXPECT_EQ(miniport_.calls().back().irql, DIRQL);
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  Vsync(kA);
  ASSERT_THAT(RetiredCookies(), ElementsAre(kA));
  EXPECT_EQ(retired_[0].second, clock_.NowNs());
  EXPECT_EQ(adapter_->counters().flips, 1U);
  EXPECT_EQ(adapter_->counters().vsyncs, 1U);
}

TEST_F(FlipQueueTest, Clone_IsProgrammedOnce_AndRetiredWhenEveryTargetReportedIt) {
  StartClone();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB)), STATUS_SUCCESS);
  VsyncOf(1, kA);
  VsyncOf(1, kA);
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  VsyncOf(0, kA);
  EXPECT_THAT(RetiredCookies(), IsEmpty()) << "Target 0 shows nothing of this source.";
  VsyncOf(2, kA);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  VsyncOf(2, kB);
  const std::int64_t shown_ns = clock_.NowNs();
  VsyncOf(1, kC);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
  VsyncOf(1, kB);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB));
  EXPECT_EQ(retired_[1].second, shown_ns) << "The primary target's vertical blank is the flip's.";
}

TEST_F(FlipQueueTest, Unseen_FlipsWaitForTheBlanksThatAreSaid_AndNoneIsLeft) {
  StartVisible();
  ASSERT_EQ(queue_->SetVisibility(0, false), STATUS_SUCCESS);
  queue_->SetUnseen(0, true);
  Settle();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kD)), STATUS_SUCCESS);
  Settle();
  Vsync(kA);  // of a target without a monitor
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  EXPECT_THAT(Programmed(), ElementsAre(kA));
  queue_->BlankUnseen(0);
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  queue_->SetUnseen(0, false);
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB, kD));
  queue_->BlankUnseen(0);  // comes late, and changes nothing
  ASSERT_EQ(queue_->Queue(0, FlipTo(kE)), STATUS_SUCCESS);
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB, kD, kE)) << "Nobody blanks it, so nobody waits.";
}

// Their surfaces may go then.
TEST_F(FlipQueueTest, Unseen_SwitchedOff_WaitingFlipsAreRetiredAndNotProgrammed) {
  StartVisible();
  ASSERT_EQ(queue_->SetVisibility(0, false), STATUS_SUCCESS);
  queue_->SetUnseen(0, true);
  for (const std::uint64_t address : {kA, kB, kC}) ASSERT_EQ(queue_->Queue(0, FlipTo(address)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->SetVisibility(0, false), STATUS_SUCCESS);
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB, kC));
  queue_->BlankUnseen(0);
  Settle();
  EXPECT_THAT(Programmed(), ElementsAre(kA));
}

TEST_F(FlipQueueTest, Unseen_ImmediateFlip_IsRetiredAtOnceWithThoseBeforeIt) {
  miniport_.caps.FlipCaps.FlipImmediateMmIo = 1;
  StartVisible();
  ASSERT_EQ(queue_->SetVisibility(0, false), STATUS_SUCCESS);
  queue_->SetUnseen(0, true);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB, D3DDDI_FLIPINTERVAL_IMMEDIATE)), STATUS_SUCCESS);
  Settle();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB));
}

TEST_F(FlipQueueTest, Clone_IntervalTwo_IsCountedOnThePrimaryTarget) {
  StartClone();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  VsyncOf(2, kA);
  VsyncOf(1, kA);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB, D3DDDI_FLIPINTERVAL_TWO)), STATUS_SUCCESS);
  for (int blank = 0; blank < 3; ++blank) VsyncOf(1, kA);
  EXPECT_THAT(Programmed(), ElementsAre(kA));
  VsyncOf(2, kA);
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
}

TEST_F(FlipQueueTest, Queue_Three_OnePerVsyncInOrder) {
  StartVisible();
  for (const std::uint64_t address : {kA, kB, kC}) ASSERT_EQ(queue_->Queue(0, FlipTo(address)), STATUS_SUCCESS);
  EXPECT_THAT(Programmed(), ElementsAre(kA));
  Vsync(kA);
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  Vsync(kB);
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB, kC));
  Vsync(kC);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB, kC));
}

TEST_F(FlipQueueTest, Vsync_WithAnotherAddress_RetiresNothing) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  Vsync(kC);
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  Vsync(kA);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
}

TEST_F(FlipQueueTest, Queue_Full_IsNotReadyUntilOneRetires) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);  // programmed
  for (std::uint32_t flip = 1; flip < kMaxUnretiredFlips; ++flip) ASSERT_EQ(queue_->Queue(0, FlipTo(kB)), STATUS_SUCCESS);
  EXPECT_EQ(queue_->Queue(0, FlipTo(kC)), STATUS_DEVICE_NOT_READY);
  EXPECT_EQ(SetMode(kC), STATUS_DEVICE_NOT_READY);
  Vsync(kA);
  EXPECT_EQ(queue_->Queue(0, FlipTo(kC)), STATUS_SUCCESS);
}

TEST_F(FlipQueueTest, Queue_UnknownSource_IsInvalid) {
  StartVisible();
  EXPECT_EQ(queue_->Queue(1, FlipTo(kA)), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(queue_->SetMode(1, FlipTo(kA), FlipQueue::FirstFlip::kIsProgrammed), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(queue_->SetVisibility(1, true), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(queue_->WaitForVerticalBlank(1, 0), STATUS_INVALID_PARAMETER);
}

class IntervalTest : public FlipQueueTest, public ::testing::WithParamInterface<D3DDDI_FLIPINTERVAL_TYPE> {};

TEST_P(IntervalTest, Queue_AfterAFlip_TakesEffectThatManyVsyncsLater) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  Vsync(kA);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB, GetParam())), STATUS_SUCCESS);
  for (int blank = 1; blank < GetParam(); ++blank) {
    EXPECT_THAT(Programmed(), ElementsAre(kA)) << blank;
    Vsync(kA);
  }
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  Vsync(kB);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB));
}

INSTANTIATE_TEST_SUITE_P(All, IntervalTest,
                         ::testing::Values(D3DDDI_FLIPINTERVAL_ONE, D3DDDI_FLIPINTERVAL_TWO, D3DDDI_FLIPINTERVAL_THREE,
                                           D3DDDI_FLIPINTERVAL_FOUR));

TEST_F(FlipQueueTest, Queue_Immediate_IsProgrammedAtOnceAndRetiredWhenReported) {
  StartVisible();
  for (const std::uint64_t address : {kA, kB}) {
    ASSERT_EQ(queue_->Queue(0, FlipTo(address, D3DDDI_FLIPINTERVAL_IMMEDIATE)), STATUS_SUCCESS);
  }
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  EXPECT_EQ(programmed_[1].Flags.Value, 0x2U);  // FlipImmediate
  Settle();
  EXPECT_THAT(RetiredCookies(), IsEmpty()) << "The surface before them may still be on the screen.";
  Vsync(kB);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB));
}

TEST_F(FlipQueueTest, Queue_ImmediateBehindAProgrammedFlip_OvertakesIt) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kB, D3DDDI_FLIPINTERVAL_IMMEDIATE)), STATUS_SUCCESS);
  Settle();
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB));
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  Vsync(kB);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB));
}

TEST_F(FlipQueueTest, Queue_ImmediateBehindAWaitingFlip_KeepsTheOrder) {
  StartVisible();
  for (const std::uint64_t address : {kA, kB}) ASSERT_EQ(queue_->Queue(0, FlipTo(address)), STATUS_SUCCESS);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kC, D3DDDI_FLIPINTERVAL_IMMEDIATE)), STATUS_SUCCESS);
  EXPECT_THAT(Programmed(), ElementsAre(kA));
  Vsync(kA);
  EXPECT_THAT(Programmed(), ElementsAre(kA, kB, kC));
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
  Vsync(kC);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kB, kC));
}

TEST_F(FlipQueueTest, Queue_ImmediateWithoutTheCap_WaitsForTheVsync) {
  miniport_.caps.FlipCaps.FlipImmediateMmIo = 0;
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA, D3DDDI_FLIPINTERVAL_IMMEDIATE)), STATUS_SUCCESS);
  EXPECT_EQ(programmed_[0].Flags.Value, 0x4U);
  Settle();
  EXPECT_THAT(RetiredCookies(), IsEmpty());
  Vsync(kA);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
}

TEST_F(FlipQueueTest, SameSurfaceTwice_VsyncFromBeforeTheFlip_DoesNotRetireIt) {
  StartVisible();
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  Vsync(kA);
  clock_.Advance(kPeriodNs);
  HoldDpcOf(0, kA);
  clock_.Advance(1);
  ASSERT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  ReleaseDpc();
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA));
  Vsync(kA);
  EXPECT_THAT(RetiredCookies(), ElementsAre(kA, kA));
}

TEST_F(FlipQueueTest, Flip_DriverFails_StopsTheAdapter) {
  StartVisible();
  miniport_.on_set_vidpn_source_address = [](const DXGKARG_SETVIDPNSOURCEADDRESS*) { return STATUS_INVALID_PARAMETER; };
  RecordingSink sink(*adapter_);
  EXPECT_EQ(queue_->Queue(0, FlipTo(kA)), STATUS_SUCCESS);
  sink.AwaitLoss();
  EXPECT_THAT(adapter_->violation(), ::testing::HasSubstr("DdiMayNotFail: DxgkDdiSetVidPnSourceAddress"));
  EXPECT_EQ(queue_->Queue(0, FlipTo(kB)), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(queue_->SetVisibility(0, false), STATUS_DEVICE_REMOVED);
}

TEST_F(FlipQueueTest, WaitForVerticalBlank_Vsync_WakesIt) {
  StartVisible();
  NTSTATUS status = STATUS_UNSUCCESSFUL;
  std::thread waiter([&] { status = queue_->WaitForVerticalBlank(0, 10 * kPeriodNs); });
  clock_.AwaitWaiters(1);
  miniport_.Vsync(0, kC);
  waiter.join();
  EXPECT_EQ(status, STATUS_SUCCESS);
}

TEST_F(FlipQueueTest, WaitForVerticalBlank_NoVsync_TimesOut) {
  StartVisible();
  NTSTATUS status = STATUS_UNSUCCESSFUL;
  std::thread waiter([&] { status = queue_->WaitForVerticalBlank(0, 10 * kPeriodNs); });
  clock_.AwaitWaiters(1);
  clock_.Advance(10 * kPeriodNs);
  waiter.join();
  EXPECT_EQ(status, STATUS_TIMEOUT);
}

TEST_F(FlipQueueTest, WaitForVerticalBlank_AdapterLost_IsRemoved) {
  StartVisible();
  NTSTATUS status = STATUS_UNSUCCESSFUL;
  std::thread waiter([&] { status = queue_->WaitForVerticalBlank(0, kNoDeadline); });
  clock_.AwaitWaiters(1);
  adapter_->ReportViolation("Test", "The driver is told to be broken.");
  waiter.join();
  EXPECT_EQ(status, STATUS_DEVICE_REMOVED);
}

TEST_F(FlipQueueTest, Queue_FromManyThreadsUnderVsyncs_RetiresEachOnce) {
  StartVisible();
  constexpr std::uint64_t kFlips = 200;
  std::atomic<bool> done{false};
  std::thread display([&] {
    while (!done) {
      std::uint64_t address = kC;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!programmed_.empty()) address = static_cast<std::uint64_t>(programmed_.back().PrimaryAddress.QuadPart);
      }
      miniport_.Vsync(0, address);
      Settle();  // no more vertical blanks than the DPC thread can take
    }
  });
  std::vector<std::thread> presenters;
  for (std::uint64_t presenter = 0; presenter < 2; ++presenter) {
    presenters.emplace_back([&, presenter] {
      for (std::uint64_t flip = 0; flip < kFlips;) {
        const auto interval = flip % 5 == 0 ? D3DDDI_FLIPINTERVAL_IMMEDIATE : D3DDDI_FLIPINTERVAL_ONE;
        const NTSTATUS status = queue_->Queue(0, FlipTo((presenter * kFlips + flip + 1) << 16, interval));
        if (status == STATUS_SUCCESS) {
          ++flip;
        } else {
          EXPECT_EQ(status, STATUS_DEVICE_NOT_READY);
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& presenter : presenters) presenter.join();
  while (RetiredCookies().size() < 2 * kFlips) std::this_thread::yield();
  done = true;
  display.join();
  Settle();
  std::vector<std::uint64_t> cookies = RetiredCookies();
  std::sort(cookies.begin(), cookies.end());
  EXPECT_EQ(std::unique(cookies.begin(), cookies.end()), cookies.end());
  EXPECT_EQ(cookies.size(), 2 * kFlips);
  EXPECT_TRUE(adapter_->alive()) << adapter_->violation();
}

}  // namespace
}  // namespace tandem::kernel
