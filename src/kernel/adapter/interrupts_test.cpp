#include "kernel/adapter/interrupts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <limits>
#include <thread>

#include "kernel/adapter/rules.h"
#include "kernel/testing/started_miniport.h"
#include "kernel/tolerated.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

class InterruptsTest : public StartedMiniport {
 protected:
  HANDLE device() { return miniport_.kernel().DeviceHandle; }
};

TEST_F(InterruptsTest, Interrupt_Noted_GoesFromIsrOverDpcToTheSink) {
  Start();
  RecordingSink sink(*adapter_);
  miniport_.ForgetCalls();
  clock_.Advance(500);
  miniport_.CompleteDma(1, 42);
  const auto heard = sink.AwaitInterrupts(1);
  EXPECT_EQ(heard[0].data.InterruptType, DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_EQ(heard[0].data.DmaCompleted.SubmissionFenceId, 42U);
  EXPECT_EQ(heard[0].time_ns, 1'000'500);
  EXPECT_EQ(heard[0].irql, DISPATCH_LEVEL);
  const auto calls = miniport_.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].ddi, "DxgkDdiInterruptRoutine");
  EXPECT_EQ(calls[0].irql, DIRQL);
  EXPECT_EQ(calls[1].ddi, "DxgkDdiDpcRoutine");
  EXPECT_EQ(calls[1].irql, DISPATCH_LEVEL);
}

TEST_F(InterruptsTest, StampedInterrupt_HasItsOwnTime_AndTheNextOneThatOfItsReport) {
  Start();
  RecordingSink sink(*adapter_);
  constexpr std::int64_t kSecond = 1'000'000'000;
  clock_.Advance(10 * kSecond);
  const std::int64_t now_ns = clock_.NowNs();
  const auto stamp = [this](std::int64_t time_ns) {
    const TANDEM_BUS_INTERFACE& bus = miniport_.device().Bus;
    bus.StampInterrupt(bus.Context, static_cast<UINT64>(time_ns));
  };
  const auto note = [this] {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA blank{};
    blank.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    miniport_.kernel().DxgkCbNotifyInterrupt(device(), &blank);
  };
  std::size_t heard = 0;
  const auto time_with = [&](std::int64_t time_ns) {
    miniport_.on_interrupt = [&stamp, &note, time_ns] {
      stamp(time_ns);
      note();
    };
    miniport_.Interrupt({});
    return sink.AwaitInterrupts(++heard).back().time_ns;
  };
  EXPECT_EQ(time_with(now_ns - 3'000'000), now_ns - 3'000'000);
  EXPECT_EQ(time_with(now_ns + 500'000), now_ns + 500'000);  // a blank that began, for a picture that follows
  EXPECT_EQ(time_with(now_ns - 2 * kSecond), now_ns);
  EXPECT_EQ(time_with(now_ns + 2 * kSecond), now_ns);
  EXPECT_EQ(time_with(-1), now_ns);
  EXPECT_EQ(time_with(std::numeric_limits<std::int64_t>::min()), now_ns);

  // The stamp holds for one report, and ends with the interrupt routine.
  miniport_.on_interrupt = [&] {
    stamp(now_ns - 5);
    note();
    note();
    stamp(now_ns - 6);
  };
  miniport_.Interrupt({});
  const auto both = sink.AwaitInterrupts(heard += 2);
  EXPECT_EQ(both[heard - 2].time_ns, now_ns - 5);
  EXPECT_EQ(both[heard - 1].time_ns, now_ns);
  miniport_.on_interrupt = nullptr;
  miniport_.Vsync(0, 0x1000);
  EXPECT_EQ(sink.AwaitInterrupts(++heard).back().time_ns, now_ns);
  // Below DIRQL it says nothing of what another thread reports.
  stamp(now_ns - 7);
  miniport_.Vsync(0, 0x1000);
  EXPECT_EQ(sink.AwaitInterrupts(++heard).back().time_ns, now_ns);
  EXPECT_TRUE(adapter_->alive()) << adapter_->violation();
}

TEST_F(InterruptsTest, Interrupts_FromManyThreads_ArriveCompleteAndInOrderOfEach) {
  miniport_.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 3;
  Start();
  constexpr UINT kThreads = 3, kEach = 300;
  static_assert(kThreads * 50 <= kMaxNotedInterrupts);
  std::barrier<> all_sent(kThreads);
  RecordingSink sink(*adapter_);
  std::vector<std::thread> engines;
  for (UINT node = 0; node < kThreads; ++node) {
    engines.emplace_back([this, &sink, &all_sent, node] {
      for (UINT fence = 1; fence <= kEach; ++fence) {
        miniport_.CompleteDma(node, fence);
        if (fence % 50 != 0) continue;
        all_sent.arrive_and_wait();
        EXPECT_GE(sink.AwaitInterrupts(kThreads * fence).size(), kThreads * fence);
      }
    });
  }
  for (std::thread& engine : engines) engine.join();
  UINT last[kThreads] = {};
  for (const auto& heard : sink.AwaitInterrupts(kThreads * kEach)) {
    UINT& previous = last[heard.data.DmaCompleted.NodeOrdinal];
    EXPECT_EQ(heard.data.DmaCompleted.SubmissionFenceId, previous + 1);
    previous = heard.data.DmaCompleted.SubmissionFenceId;
  }
  EXPECT_TRUE(adapter_->alive()) << adapter_->violation();
}

TEST_F(InterruptsTest, Dpc_HeldUp_MissesVerticalBlanks_AndNothingElse) {
  Start();
  RecordingSink sink(*adapter_);
  HoldDpcOf(0, 0);
  for (std::uint32_t blank = 0; blank < 2 * kMaxNotedInterrupts; ++blank) miniport_.Vsync(0, 0x1000);
  miniport_.CompleteDma(0, 7);
  ReleaseDpc();
  const auto heard = sink.AwaitInterrupts(kMaxNotedInterrupts / 2 + 1);
  EXPECT_EQ(heard.size(), kMaxNotedInterrupts / 2 + 1);
  EXPECT_EQ(heard.back().data.InterruptType, DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_TRUE(adapter_->alive()) << adapter_->violation();
}

TEST_F(InterruptsTest, Dpc_WithoutNotifyDpc_KeepsTheInterruptForTheNext) {
  miniport_.dpc_notifies = false;
  Start();
  RecordingSink sink(*adapter_);
  miniport_.CompleteDma(0, 1);
  Settle();
  EXPECT_TRUE(sink.AwaitInterrupts(0).empty());
  miniport_.dpc_notifies = true;
  miniport_.CompleteDma(0, 2);
  EXPECT_EQ(sink.AwaitInterrupts(2)[0].data.DmaCompleted.SubmissionFenceId, 1U);
}

TEST_F(InterruptsTest, QueueDpc_WhileOneWaits_IsFalse) {
  std::atomic<bool> in_dpc{false}, hold{true};
  miniport_.on_dpc = [&] {
    in_dpc = true;
    while (hold) std::this_thread::yield();
  };
  Start();
  EXPECT_TRUE(miniport_.kernel().DxgkCbQueueDpc(device()));
  while (!in_dpc) std::this_thread::yield();
  EXPECT_TRUE(miniport_.kernel().DxgkCbQueueDpc(device()));
  EXPECT_FALSE(miniport_.kernel().DxgkCbQueueDpc(device()));
  hold = false;
  Settle();
  EXPECT_EQ(miniport_.count("DxgkDdiDpcRoutine"), 2U);
}

TEST_F(InterruptsTest, SynchronizeExecution_Routine_RunsAtDirqlAndReportsItsValue) {
  Start();
  KIRQL seen = PASSIVE_LEVEL;
  BOOLEAN returned = FALSE;
  const auto routine = [](PVOID context) -> BOOLEAN {
    *static_cast<KIRQL*>(context) = CurrentIrql();
    return TRUE;
  };
  EXPECT_EQ(miniport_.kernel().DxgkCbSynchronizeExecution(device(), routine, &seen, 0, &returned), STATUS_SUCCESS);
  EXPECT_EQ(seen, DIRQL);
  EXPECT_TRUE(returned);
  EXPECT_EQ(CurrentIrql(), PASSIVE_LEVEL);
}

TEST_F(InterruptsTest, Interrupt_AfterStopDevice_IsIgnored) {
  std::size_t after_stop = 0;
  miniport_.on_remove_device = [&] {
    miniport_.ForgetCalls();
    miniport_.CompleteDma(0, 1);
    after_stop = miniport_.count("DxgkDdiInterruptRoutine") + miniport_.count("DxgkDdiDpcRoutine");
    return STATUS_SUCCESS;
  };
  std::size_t while_stopping = 0;
  miniport_.on_stop_device = [&] {
    miniport_.CompleteDma(0, 1);
    while_stopping = miniport_.count("DxgkDdiInterruptRoutine");
    return STATUS_SUCCESS;
  };
  Start();
  adapter_.reset();
  EXPECT_EQ(while_stopping, 1U);
  EXPECT_EQ(after_stop, 0U);
}

TEST_F(InterruptsTest, RemoveSink_BeforeAnInterrupt_HearsNothing) {
  Start();
  RecordingSink stays(*adapter_);
  {
    RecordingSink goes(*adapter_);
    miniport_.CompleteDma(0, 1);
    EXPECT_EQ(goes.AwaitInterrupts(1).size(), 1U);
  }
  miniport_.CompleteDma(0, 2);
  EXPECT_EQ(stays.AwaitInterrupts(2).size(), 2U);
}

TEST_F(InterruptsTest, GetHandleData_InsideADdi_AsksTheResolver) {
  class Resolver final : public HandleResolver {
   public:
    PVOID HandleData(const DXGKARGCB_GETHANDLEDATA& args) override { return args.hObject == 0x40 ? this : nullptr; }
    D3DKMT_HANDLE HandleParent(D3DKMT_HANDLE allocation) override { return allocation + 1; }
    D3DKMT_HANDLE HandleChild(D3DKMT_HANDLE resource, UINT index) override { return resource + index; }
  } resolver;
  Start();
  adapter_->SetHandleResolver(&resolver);
  const auto ask = [this](D3DKMT_HANDLE object) {
    DXGKARGCB_GETHANDLEDATA args{};
    args.hObject = object;
    return miniport_.kernel().DxgkCbGetHandleData(&args);
  };
  EXPECT_EQ(adapter_->gate().Call(Ddi::kOpenAllocation, ask, D3DKMT_HANDLE{0x40}), &resolver);
  EXPECT_EQ(adapter_->gate().Call(Ddi::kOpenAllocation, ask, D3DKMT_HANDLE{0x41}), nullptr);
  EXPECT_EQ(ask(0x40), nullptr);  // in no DDI
  const auto parent = [this] { return miniport_.kernel().DxgkCbGetHandleParent(0x40); };
  const auto child = [this] {
    const DXGKARGCB_ENUMHANDLECHILDREN args{0x40, 2};
    return miniport_.kernel().DxgkCbEnumHandleChildren(&args);
  };
  EXPECT_EQ(adapter_->gate().Call(Ddi::kOpenAllocation, parent), 0x41u);
  EXPECT_EQ(adapter_->gate().Call(Ddi::kOpenAllocation, child), 0x42u);
  EXPECT_EQ(parent(), 0u);
  EXPECT_EQ(child(), 0u);
  adapter_->SetHandleResolver(nullptr);
}

struct Misdeed {
  const char* rule;
  void (*commit)(FakeMiniport&);
};

class MisdeedTest : public StartedMiniport, public ::testing::WithParamInterface<Misdeed> {};

TEST_P(MisdeedTest, Driver_BreaksARule_IsStoppedByItsName) {
  Start();
  RecordingSink sink(*adapter_);
  EXPECT_TRUE(adapter_->alive());
  GetParam().commit(miniport_);
  sink.AwaitLoss();
  EXPECT_FALSE(adapter_->alive());
  EXPECT_THAT(adapter_->violation(), HasSubstr(std::string("Driver fake, adapter fake0: ") + GetParam().rule + ": "));
  miniport_.ForgetCalls();
  miniport_.CompleteDma(0, 1);
  EXPECT_TRUE(miniport_.calls().empty());  // a stopped driver is not called
  adapter_->ReportViolation(rules::kMandatoryDdi, "Later.");
  EXPECT_THAT(adapter_->violation(), HasSubstr(GetParam().rule));
}

DXGKARGCB_NOTIFY_INTERRUPT_DATA Completed() {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
  note.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
  return note;
}

DXGKARGCB_NOTIFY_INTERRUPT_DATA Faulted(UINT flags) {
  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
  note.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  note.DmaPageFaulted.PageFaultFlags = static_cast<DXGK_PAGE_FAULT_FLAGS>(flags);
  return note;
}

TEST_F(InterruptsTest, VSyncOfARenderOnlyAdapter_IsNamed) {
  miniport_.sources = miniport_.children = 0;
  Start();
  RecordingSink sink(*adapter_);
  miniport_.Vsync(0, 4096);
  sink.AwaitLoss();
  EXPECT_THAT(adapter_->violation(), HasSubstr(rules::kVSyncWithoutOutputs));
}

// A virtio driver that runs on Windows declares message 0 and reports from message 1.
TEST_F(InterruptsTest, NoteFromAnotherMessage_IsHeard_AndReportedOnce) {
  Start();
  RecordingSink sink(*adapter_);
  miniport_.on_interrupt = [this] {
    const auto note = Completed();
    miniport_.kernel().DxgkCbNotifyInterrupt(device(), &note);
  };
  const TANDEM_BUS_INTERFACE& bus = miniport_.device().Bus;
  bus.RaiseInterrupt(bus.Context, 3);
  static_cast<void>(sink.AwaitInterrupts(1));
  bus.RaiseInterrupt(bus.Context, 3);
  static_cast<void>(sink.AwaitInterrupts(2));
  EXPECT_TRUE(adapter_->alive());
  EXPECT_EQ(adapter_->violation(), "");
  const std::vector<Tolerated> reported = TakeTolerated();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].rule, rules::kNotifyInterruptMessage);
  EXPECT_THAT(reported[0].seen, HasSubstr("DxgkCbNotifyInterrupt was called for message 3"));
  EXPECT_TRUE(TakeTolerated().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Rules, MisdeedTest,
    ::testing::Values(
        Misdeed{rules::kNotifyInterruptAtDirql,
                [](FakeMiniport& m) {
                  const auto note = Completed();
                  m.kernel().DxgkCbNotifyInterrupt(m.kernel().DeviceHandle, &note);
                }},
        Misdeed{rules::kNotifyInterruptType,
                [](FakeMiniport& m) {
                  auto note = Completed();
                  note.InterruptType = DXGK_INTERRUPT_DMA_FAULTED;
                  m.Interrupt({note});
                }},
        Misdeed{rules::kNotifyInterruptThenQueueDpc,
                [](FakeMiniport& m) {
                  m.isr_queues_dpc = false;
                  m.CompleteDma(0, 1);
                }},
        Misdeed{"DmaCompleted.NodeOrdinal", [](FakeMiniport& m) { m.CompleteDma(2, 1); }},
        Misdeed{"DmaCompleted.EngineOrdinal",
                [](FakeMiniport& m) {
                  auto note = Completed();
                  note.DmaCompleted.EngineOrdinal = 1;
                  m.Interrupt({note});
                }},
        Misdeed{"DmaPreempted.NodeOrdinal", [](FakeMiniport& m) { m.AnswerPreemption(2, 1, 0); }},
        Misdeed{"DmaPreempted.EngineOrdinal",
                [](FakeMiniport& m) {
                  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
                  note.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
                  note.DmaPreempted.EngineOrdinal = 1;
                  m.Interrupt({note});
                }},
        Misdeed{"DmaPageFaulted.NodeOrdinal",
                [](FakeMiniport& m) {
                  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
                  note.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
                  note.DmaPageFaulted.NodeOrdinal = 2;
                  m.Interrupt({note});
                }},
        Misdeed{rules::kPageFaultFlags, [](FakeMiniport& m) { m.Interrupt({Faulted(DXGK_PAGE_FAULT_FENCE_INVALID)}); }},
        Misdeed{rules::kPageFaultFlags, [](FakeMiniport& m) { m.Interrupt({Faulted(0x100)}); }},
        Misdeed{rules::kPageFaultFatal, [](FakeMiniport& m) { m.Interrupt({Faulted(DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR)}); }},
        Misdeed{"CrtcVsync.VidPnTargetId", [](FakeMiniport& m) { m.Vsync(1, 4096); }},
        Misdeed{rules::kDmaBeforeCrtc,
                [](FakeMiniport& m) {
                  DXGKARGCB_NOTIFY_INTERRUPT_DATA vsync{};
                  vsync.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
                  m.Interrupt({vsync, Completed()});
                }},
        Misdeed{rules::kInterruptClaim,
                [](FakeMiniport& m) {
                  m.isr_queues_dpc = false;
                  m.Interrupt({});
                }},
        Misdeed{rules::kInterruptClaim,
                [](FakeMiniport& m) {
                  m.isr_claims = FALSE;
                  m.Interrupt({Completed()});
                }},
        Misdeed{rules::kInterruptsAwaitDpc,
                [](FakeMiniport& m) {
                  m.Interrupt(std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA>(kMaxNotedInterrupts + 1, Completed()));
                }},
        Misdeed{rules::kNotifyDpcInDpc, [](FakeMiniport& m) { m.kernel().DxgkCbNotifyDpc(m.kernel().DeviceHandle); }},
        Misdeed{rules::kRaiseInterruptBelowDirql,
                [](FakeMiniport& m) {
                  m.on_interrupt = [&m] { m.device().Bus.RaiseInterrupt(m.device().Bus.Context, 1); };
                  m.CompleteDma(0, 1);
                }},
        Misdeed{rules::kCallbackIrql,
                [](FakeMiniport& m) {
                  m.on_dpc = [&m] {
                    const DXGKARGCB_GETHANDLEDATA args{};
                    EXPECT_EQ(m.kernel().DxgkCbGetHandleData(&args), nullptr);
                  };
                  m.CompleteDma(0, 1);
                }},
        Misdeed{rules::kCallbackIrql, [](FakeMiniport& m) {
                  m.on_interrupt = [&m] {
                    BOOLEAN returned = FALSE;
                    m.kernel().DxgkCbSynchronizeExecution(
                        m.kernel().DeviceHandle, [](PVOID) -> BOOLEAN { return TRUE; }, nullptr, 0, &returned);
                  };
                  m.CompleteDma(0, 1);
                }}));

// Appendix B, and section 6.2: in the interrupt routine nothing but DxgkCbQueueDpc and DxgkCbNotifyInterrupt.
struct IllegalCall {
  const char* callback;
  void (*call)(DXGKRNL_INTERFACE&);
};

class IllegalCallTest : public StartedMiniport, public ::testing::WithParamInterface<IllegalCall> {};

TEST_P(IllegalCallTest, FromTheInterruptRoutine_IsNamed) {
  miniport_.on_interrupt = [this] { GetParam().call(miniport_.kernel()); };
  Start();
  RecordingSink sink(*adapter_);
  miniport_.CompleteDma(0, 1);
  sink.AwaitLoss();
  EXPECT_THAT(adapter_->violation(), HasSubstr(std::string(": CallbackIrql: ") + GetParam().callback + " was called at IRQL"));
}

INSTANTIATE_TEST_SUITE_P(
    Callbacks, IllegalCallTest,
    ::testing::Values(
        IllegalCall{"DxgkCbGetDeviceInformation",
                    [](DXGKRNL_INTERFACE& k) {
                      DXGK_DEVICE_INFO device_info{};
                      EXPECT_EQ(k.DxgkCbGetDeviceInformation(k.DeviceHandle, &device_info), STATUS_INVALID_DEVICE_STATE);
                    }},
        IllegalCall{"DxgkCbIndicateChildStatus",
                    [](DXGKRNL_INTERFACE& k) {
                      DXGK_CHILD_STATUS status{};
                      EXPECT_EQ(k.DxgkCbIndicateChildStatus(k.DeviceHandle, &status), STATUS_INVALID_DEVICE_STATE);
                    }},
        IllegalCall{"DxgkCbQueryServices",
                    [](DXGKRNL_INTERFACE& k) {
                      INTERFACE interface {};
                      k.DxgkCbQueryServices(k.DeviceHandle, DxgkServicesFeature, &interface);
                    }},
        IllegalCall{"DxgkCbIsDevicePresent",
                    [](DXGKRNL_INTERFACE& k) {
                      BOOLEAN present = FALSE;
                      k.DxgkCbIsDevicePresent(k.DeviceHandle, nullptr, &present);
                    }},
        IllegalCall{"DxgkCbGetHandleParent", [](DXGKRNL_INTERFACE& k) { EXPECT_EQ(k.DxgkCbGetHandleParent(1), 0u); }},
        IllegalCall{"DxgkCbEnumHandleChildren",
                    [](DXGKRNL_INTERFACE& k) {
                      const DXGKARGCB_ENUMHANDLECHILDREN args{1, 0};
                      EXPECT_EQ(k.DxgkCbEnumHandleChildren(&args), 0u);
                    }},
        IllegalCall{"DxgkCbReleaseHandleData", [](DXGKRNL_INTERFACE& k) { k.DxgkCbReleaseHandleData({}); }},
        IllegalCall{"DxgkCbLogEtwEvent", [](DXGKRNL_INTERFACE& k) { k.DxgkCbLogEtwEvent(nullptr, 0, 0, nullptr); }}));

}  // namespace
}  // namespace tandem::kernel
