// Reports of a driver about the progress of its engines: each rule broken once, and named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kernel/testing/gpu_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

// A buffer is running on node 0 with fence 1, and a signal waits behind it.
struct Lie {
  const char* rule;
  void (*prepare)(FakeMiniport&);  // before the adapter starts
  void (*tell)(FakeMiniport&, FakeClock&);
};

void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.rule; }

class EngineLies : public GpuFixture, public ::testing::WithParamInterface<Lie> {};

TEST_P(EngineLies, Driver_BreaksARule_IsStoppedByItsName) {
  GetParam().prepare(miniport_);
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  GetParam().tell(miniport_, time_);
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  // A device may be lost before the driver breaks the rule.
  while (kernel_->Violation(luid_)->empty()) std::this_thread::yield();
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr(std::string(": ") + GetParam().rule + ": "));
}

void Nothing(FakeMiniport&) {}
// Time passes until the buffer is preempted; the driver answers `last` as its last completed fence.
template <UINT kPreemption, UINT kLast>
void Preempted(FakeMiniport& miniport, FakeClock& time) {
  time.Advance(TdrSettings{}.delay_ns);
  while (miniport.count("DxgkDdiPreemptCommand") == 0) std::this_thread::yield();
  miniport.AnswerPreemption(0, kPreemption, kLast);
}
void Hangs(FakeMiniport& miniport, FakeClock& time) {
  time.Advance(TdrSettings{}.delay_ns);
  while (miniport.count("DxgkDdiPreemptCommand") == 0) std::this_thread::yield();
  time.Advance(TdrSettings{}.delay_ns);
}
void PerEngine(FakeMiniport& miniport) { miniport.caps.SupportPerEngineTDR = TRUE; }
template <UINT kMask>
void Depends(FakeMiniport& miniport) {
  PerEngine(miniport);
  miniport.on_query_group = [](DXGKARG_QUERYDEPENDENTENGINEGROUP* args) {
    args->DependentNodeOrdinalMask = kMask;
    return STATUS_SUCCESS;
  };
}
template <UINT kLast>
void Aborts(FakeMiniport& miniport) {
  PerEngine(miniport);
  miniport.on_reset_engine = [](DXGKARG_RESETENGINE* args) {
    args->LastAbortedFenceId = kLast;
    return STATUS_SUCCESS;
  };
}

INSTANTIATE_TEST_SUITE_P(
    Rules, EngineLies,
    ::testing::Values(
        Lie{"DmaCompleted.FenceWasSubmitted", Nothing, [](FakeMiniport& m, FakeClock&) { m.CompleteDma(0, 2); }},
        Lie{"DmaCompleted.FenceWasSubmitted", Nothing, [](FakeMiniport& m, FakeClock&) { m.CompleteDma(1, 1); }},
        Lie{"DmaCompleted.FencesRise", Nothing, [](FakeMiniport& m, FakeClock&) { m.CompleteDma(0, ~0u); }},
        Lie{"DmaPreempted.WasRequested", Nothing, [](FakeMiniport& m, FakeClock&) { m.AnswerPreemption(0, 1, 0); }},
        Lie{"DmaPreempted.WasRequested", Nothing, Preempted<2, 0>}, Lie{"DmaPreempted.WasRequested", Nothing, Preempted<0, 0>},
        Lie{"DmaPreempted.LastCompletedFenceId", Nothing, Preempted<1, 2>},
        Lie{"DmaPreempted.LastCompletedFenceId", Nothing, Preempted<1, ~0u>},
        Lie{"DmaCompleted.FenceIsInFlight", Nothing,
            [](FakeMiniport& m, FakeClock& time) {
              m.on_patch = [&m](const DXGKARG_PATCH*) {
                m.CompleteDma(0, 1);  // the packet was given back and comes again with fence 2
                return STATUS_SUCCESS;
              };
              Preempted<1, 0>(m, time);
            }},
        Lie{"DmaPageFaulted.FenceIsInFlight", Nothing,
            [](FakeMiniport& m, FakeClock&) {
              DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
              note.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
              note.DmaPageFaulted.FaultedFenceId = 2;
              m.Interrupt({note});
            }},
        Lie{"QueryCurrentFence.FenceWasSubmitted",
            [](FakeMiniport& m) {
              m.on_query_fence = [](DXGKARG_QUERYCURRENTFENCE* args) {
                args->CurrentFence = 2;
                return STATUS_SUCCESS;
              };
            },
            [](FakeMiniport&, FakeClock& time) { time.Advance(TdrSettings{}.delay_ns); }},
        Lie{"DdiMayNotFail",
            [](FakeMiniport& m) { m.on_preempt = [](const DXGKARG_PREEMPTCOMMAND*) { return STATUS_UNSUCCESSFUL; }; },
            [](FakeMiniport&, FakeClock& time) { time.Advance(TdrSettings{}.delay_ns); }},
        Lie{"QueryDependentEngineGroup.DependentNodeOrdinalMask", Depends<2>, Hangs},
        Lie{"QueryDependentEngineGroup.DependentNodeOrdinalMask", Depends<5>, Hangs},
        Lie{"ResetEngine.LastAbortedFenceId", Aborts<2>, Hangs}, Lie{"ResetEngine.LastAbortedFenceId", Aborts<~0u>, Hangs},
        Lie{"ResetFromTimeout.MayNotFail", [](FakeMiniport& m) { m.on_reset_from_timeout = [] { return STATUS_UNSUCCESSFUL; }; },
            Hangs},
        Lie{"RestartFromTimeout.MayNotFail",
            [](FakeMiniport& m) { m.on_restart_from_timeout = [] { return STATUS_UNSUCCESSFUL; }; }, Hangs}));

// A late answer to a request that the kernel gave up is no lie.
TEST_F(GpuFixture, Preemption_AnsweredAfterTheReset_IsIgnored) {
  Aborts<1>(miniport_);
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  Hangs(miniport_, time_);
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  miniport_.AnswerPreemption(0, 1, 0);
  ASSERT_EQ(Render('b'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_TRUE(AwaitSubmissions(2));
  miniport_.CompleteDma(0, 2);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

}  // namespace
}  // namespace tandem::kernel
