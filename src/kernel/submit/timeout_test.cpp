// Engines that hang: who is reset, who is lost, who lives on. Time is the test's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kernel/submit/limits.h"
#include "kernel/testing/gpu_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Timeout : public GpuFixture {
 protected:
  void SetUp() override {
    miniport_.caps.SupportPerEngineTDR = TRUE;
    miniport_.on_reset_engine = [this](DXGKARG_RESETENGINE* args) {
      Change([&] {
        resets_.push_back(*args);
        args->LastAbortedFenceId = last_aborted_;
      });
      return reset_status_;
    };
    miniport_.on_reset_from_timeout = [this] {
      Change([&] { ++adapter_resets_; });
      return STATUS_SUCCESS;
    };
    miniport_.on_restart_from_timeout = [this] {
      Change([&] { ++restarts_; });
      return STATUS_SUCCESS;
    };
    miniport_.on_collect = [this](const DXGKARG_COLLECTDBGINFO* args) {
      std::memcpy(args->pBuffer, "why", 3);
      Change([&] { reasons_.push_back(args->Reason); });
      return STATUS_SUCCESS;
    };
  }
  // The running buffer is too old, and its preemption does not come.
  void Hang() {
    const std::size_t before = preemptions_.size();
    time_.Advance(tdr_.delay_ns);
    ASSERT_TRUE(AwaitPreemptions(before + 1));
    time_.Advance(tdr_.delay_ns);
  }
  // The `turn`th hang of the adapter, counted from 1; each lost the device of the one before.
  void HangIn(UINT turn) {
    if (turn > 1) {
      ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
      ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
    }
    last_aborted_ = turn;
    ASSERT_EQ(Render('a'), STATUS_SUCCESS);
    Hang();
  }
  // A second device with a context.
  void OpenOther() {
    const auto device = device_, context = context_, fence = fence_;
    void* const buffer = command_buffer_;
    ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
    ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
    other_device_ = std::exchange(device_, device);
    other_context_ = std::exchange(context_, context);
    other_buffer_ = std::exchange(command_buffer_, buffer);
    fence_ = fence;
  }
  std::vector<TimeoutReport> AwaitReports(std::size_t count) {
    for (int i = 0; i < 20000; ++i) {
      auto reports = kernel_->Timeouts(luid_);
      if (reports.ok() && reports->size() >= count) return *reports;
      std::this_thread::yield();
      if (i > 1000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
  }

  UINT last_aborted_ = 1;
  NTSTATUS reset_status_ = STATUS_SUCCESS;
  std::vector<DXGKARG_RESETENGINE> resets_;
  int adapter_resets_ = 0, restarts_ = 0;
  std::vector<UINT> reasons_;
  D3DKMT_HANDLE other_device_ = 0, other_context_ = 0;
  void* other_buffer_ = nullptr;
};

TEST_F(Timeout, LongBuffer_IsPreemptedAndSubmittedAgain) {
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  ASSERT_TRUE(AwaitPreemptions(1));
  miniport_.AnswerPreemption(0, preemptions_[0].PreemptionFenceId, 0);
  ASSERT_TRUE(AwaitSubmissions(2));
  EXPECT_THAT(submitted(), ElementsAre(Submitted{0, 1, 'a', false}, Submitted{0, 2, 'a', true}));
  time_.Advance(tdr_.delay_ns / 2);
  miniport_.CompleteDma(0, 2);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
  EXPECT_EQ(miniport_.count("DxgkDdiPatch"), 2u);
  EXPECT_TRUE(resets_.empty());
}

// Other processors do this: the interrupt of a buffer that was submitted again is there before the call has returned.
TEST_F(Timeout, SubmittedAgain_CompletedInsideTheCall_WhatWaitsForItGoesOn) {
  std::atomic<bool> leave{false};
  miniport_.on_submit = [&, submit = miniport_.on_submit](const DXGKARG_SUBMITCOMMAND* args) {
    const NTSTATUS status = submit(args);
    if (!args->Flags.Resubmission) return status;
    miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    while (!leave) std::this_thread::yield();
    return status;
  };
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  ASSERT_TRUE(AwaitPreemptions(1));
  miniport_.AnswerPreemption(0, preemptions_[0].PreemptionFenceId, 0);
  ASSERT_TRUE(AwaitSubmissions(2));
  EXPECT_TRUE(Soon([this] { return kernel_->QueryFence(luid_, 0)->completed == 2; }));
  leave = true;
  EXPECT_TRUE(Soon([this] { return __atomic_load_n(fence_value_, __ATOMIC_ACQUIRE) == 1; }))
      << "The context never heard that its packet is complete.";
}

TEST_F(Timeout, EngineReset_HungDeviceIsLost_OthersLiveOn) {
  Open();
  OpenOther();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Render(other_context_, other_buffer_, 'b'), STATUS_SUCCESS);
  Hang();
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  ASSERT_TRUE(AwaitSubmissions(3));  // the packets behind come again
  EXPECT_EQ(submitted()[2], (Submitted{0, 3, 'b', true}));
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_HUNG);
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
  EXPECT_EQ(Render('c'), STATUS_DEVICE_HUNG);
  EXPECT_EQ(CreateFence(), STATUS_DEVICE_HUNG);
  EXPECT_EQ(CreateContext(), STATUS_DEVICE_HUNG);
  miniport_.CompleteDma(0, 3);
  EXPECT_EQ(Render(other_context_, other_buffer_, 'd'), STATUS_SUCCESS);
  const auto reports = AwaitReports(1);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].code, 0x141u);
  EXPECT_STREQ(reports[0].name, "VIDEO_ENGINE_TIMEOUT_DETECTED");
  EXPECT_EQ(reports[0].node, 0u);
  EXPECT_EQ(reports[0].fence, 1u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(reports[0].debug_info.data()), reports[0].debug_info.size()), "why");
  EXPECT_EQ(adapter_resets_, 0);
  EXPECT_EQ(kernel_->Counters(luid_)->resets, 1u);
}

TEST_F(Timeout, DeviceLost_ANewOneWorks) {
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  Hang();
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  ASSERT_EQ(DestroyDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  ASSERT_EQ(Render('b'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  miniport_.CompleteDma(0, 2);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
}

TEST_F(Timeout, AbortedBeside_DeviceWasReset) {
  Open();
  OpenOther();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Render(other_context_, other_buffer_, 'b'), STATUS_SUCCESS);
  last_aborted_ = 2;
  Hang();
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_HUNG);
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_RESET);
  EXPECT_EQ(Render(other_context_, other_buffer_, 'd'), STATUS_GRAPHICS_ADAPTER_WAS_RESET);
}

TEST_F(Timeout, SignalForAnotherDevicesFence_EndsTheWait) {
  Open();
  OpenOther();
  device_ = other_device_;
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);  // by the context that will be lost
  Hang();
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
}

TEST_F(Timeout, QueuedBehind_IsCancelled) {
  miniport_.caps.SchedulingCaps.CancelCommandAware = 1;
  Open();
  for (std::uint32_t i = 0; i < kInFlightUnlessTold + 2; ++i) ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  Hang();
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  ASSERT_EQ(DestroyDevice(), STATUS_SUCCESS);  // nothing is left that it would wait for
  EXPECT_EQ(submitted().size(), kInFlightUnlessTold);
  EXPECT_EQ(miniport_.count("DxgkDdiCancelCommand"), kInFlightUnlessTold + 1);
}

TEST_F(Timeout, NoPerEngineReset_AdapterIsReset_AllDevicesLost) {
  miniport_.caps.SupportPerEngineTDR = FALSE;
  Open();
  OpenOther();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  Hang();
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  const auto reports = AwaitReports(1);
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_STREQ(reports[0].name, "VIDEO_TDR_TIMEOUT_DETECTED");
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_HUNG);
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_RESET);
  EXPECT_EQ(adapter_resets_, 1);
  EXPECT_EQ(restarts_, 1);
  EXPECT_THAT(reasons_, ElementsAre(0x117u));
  const auto names = miniport_.names();
  const auto at = [&](const char* ddi) { return std::find(names.begin(), names.end(), ddi) - names.begin(); };
  EXPECT_LT(at("DxgkDdiCollectDbgInfo"), at("DxgkDdiResetFromTimeout"));
  EXPECT_LT(at("DxgkDdiResetFromTimeout"), at("DxgkDdiRestartFromTimeout"));
  // The application goes on with a new device, and the fences with the next number.
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  ASSERT_EQ(Render('n'), STATUS_SUCCESS);
  ASSERT_TRUE(AwaitSubmissions(2));
  EXPECT_EQ(submitted()[1], (Submitted{0, 2, 'n', false}));
}

TEST_F(Timeout, ResetEngineFails_AdapterIsReset) {
  reset_status_ = STATUS_UNSUCCESSFUL;
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  Hang();
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(resets_.size(), 1u);
  EXPECT_EQ(adapter_resets_, 1);
  EXPECT_THAT(reasons_, ElementsAre(0x141u, 0x117u));
}

TEST_F(Timeout, PagingHangs_AdapterIsReset_AndPagingIsSubmittedAgain) {
  segment_ = 2;  // the aperture: an allocation is mapped by the paging node
  Open();
  D3DKMT_HANDLE allocation = 0;
  std::thread program([&] { EXPECT_EQ(CreateAllocation(allocation), STATUS_SUCCESS); });
  ASSERT_TRUE(AwaitSubmissions(1));
  ASSERT_EQ(submitted()[0].node, 1u);
  Hang();
  ASSERT_TRUE(AwaitSubmissions(2));
  EXPECT_EQ(submitted()[1].fence, 2u);
  EXPECT_EQ(resets_.size(), 1u);
  EXPECT_EQ(adapter_resets_, 1);
  miniport_.CompleteDma(1, 2);
  program.join();
}

// Timeout detection is the limit of who waits for an engine.
TEST_F(Timeout, WhoDestroysTheDevice_WaitsForTheReset_AndNoLonger) {
  Open();
  OpenOther();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  std::atomic<bool> destroyed{false};
  std::thread program([&] {
    EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
    destroyed = true;
  });
  time_.AwaitWaiterWithin(tdr_.delay_ns / 2);
  EXPECT_FALSE(destroyed) << "The engine works.";
  Hang();
  EXPECT_TRUE(Soon([&] { return destroyed.load(); }));
  program.join();
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
}

// The runtime keeps its lock, and the swap chain's, while a present waits for a DMA buffer: an engine that hangs ends that.
TEST_F(Timeout, WhoWaitsForADmaBuffer_IsLetGoByTheReset) {
  Open();
  D3DKMT_HANDLE surface = 0;
  ASSERT_EQ(CreateAllocation(surface), STATUS_SUCCESS);
  D3DKMT_PRESENT copy = Copy(surface, surface);
  for (std::uint32_t i = 0; i < kPacketsPerContext; ++i) ASSERT_EQ(D3DKMTPresent(&copy), STATUS_SUCCESS);
  std::atomic<NTSTATUS> status{STATUS_PENDING};
  std::thread waits([&] { status = D3DKMTPresent(&copy); });
  time_.AwaitWaiterWithin(tdr_.delay_ns / 2);
  EXPECT_EQ(status, STATUS_PENDING);
  Hang();
  EXPECT_TRUE(Soon([&] { return status != STATUS_PENDING; }));
  waits.join();
  EXPECT_EQ(status, STATUS_DEVICE_HUNG);
}

// Each reset submits paging again; the limit of resets is the limit of who holds the memory's lock meanwhile.
TEST_F(Timeout, PagingNeverCompletes_AdapterStops_AndWhoWaitsForMemoryIsLetGo) {
  segment_ = 2;
  Open();
  std::thread pages([&] {
    D3DKMT_HANDLE allocation = 0;
    EXPECT_EQ(CreateAllocation(allocation), STATUS_DEVICE_REMOVED);
  });
  ASSERT_TRUE(AwaitSubmissions(1));
  std::atomic<bool> answered{false};
  std::thread waits([&] {
    D3DKMT_HANDLE allocation = 0;
    EXPECT_EQ(CreateAllocation(allocation), STATUS_DEVICE_REMOVED);
    answered = true;
  });
  for (UINT turn = 1; turn <= tdr_.limit_count + 1; ++turn) {
    EXPECT_FALSE(answered);
    ASSERT_NO_FATAL_FAILURE(Hang());
    if (turn <= tdr_.limit_count) {
      ASSERT_TRUE(AwaitSubmissions(turn + 1));
    }
  }
  EXPECT_TRUE(Soon([&] { return answered.load(); }));
  pages.join();
  waits.join();
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr("VIDEO_TDR_FAILURE"));
}

// Nothing but the end of the reset makes room: time stands still.
TEST_F(Timeout, PagingWaitsForAFullNode_ItIsSubmittedAfterTheReset) {
  miniport_.caps.SupportPerEngineTDR = FALSE;
  miniport_.caps.MemoryManagementCaps.PagingNode = 0;
  miniport_.on_restart_from_timeout = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // for whoever waits to look in between
    return STATUS_SUCCESS;
  };
  Open();
  for (std::uint32_t i = 0; i < kInFlightUnlessTold; ++i) ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  OpenOther();
  device_ = other_device_;
  segment_ = 2;
  D3DKMT_HANDLE allocation = 0;
  std::thread program([&] { EXPECT_EQ(CreateAllocation(allocation), STATUS_SUCCESS); });
  time_.AwaitWaiterWithin(tdr_.delay_ns / 2);
  Hang();
  EXPECT_TRUE(AwaitSubmissions(kInFlightUnlessTold + 1));
  completes_ = true;
  miniport_.CompleteDma(0, kInFlightUnlessTold + 1);
  time_.Advance(tdr_.delay_ns / 4);
  program.join();
}

class ForcedTimeout : public Timeout {
 protected:
  template <class Data>
  NTSTATUS Escape(D3DKMT_ESCAPETYPE type, const Data& data) {
    Data copy = data;
    D3DKMT_ESCAPE escape{};
    escape.hAdapter = adapter_;
    escape.Type = type;
    escape.pPrivateDriverData = &copy;
    escape.PrivateDriverDataSize = sizeof(copy);
    return D3DKMTEscape(&escape);
  }
  NTSTATUS Force(D3DKMT_TDRDBGCTRLTYPE type) { return Escape(D3DKMT_ESCAPE_TDRDBGCTRL, type); }
  NTSTATUS ForceEngine(ULONG node) {
    D3DKMT_TDRDBGCTRL_ESCAPE data{};
    data.TdrControl = D3DKMT_TDRDBGCTRLTYPE_ENGINETDR;
    data.NodeOrdinal = node;
    return Escape(D3DKMT_ESCAPE_TDRDBGCTRL, data);
  }
};

TEST_F(ForcedTimeout, OfTheAdapter_ResetsItWithoutTimePassing_EveryDeviceIsReset) {
  Open();
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(adapter_resets_, 1);
  EXPECT_EQ(restarts_, 1);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_RESET);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_GPUTDR), STATUS_SUCCESS);
  EXPECT_EQ(AwaitReports(2).size(), 2u);
}

TEST_F(ForcedTimeout, OfAnEngine_LosesWhoRunsOnIt) {
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  EXPECT_EQ(ForceEngine(2), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_ENGINETDR), STATUS_INVALID_PARAMETER) << "Without a node.";
  EXPECT_EQ(ForceEngine(0), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(resets_.size(), 1u);
  EXPECT_EQ(adapter_resets_, 0);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_HUNG);
}

TEST_F(ForcedTimeout, LimitAndDetection_AreSetByEscape) {
  Open();
  D3DKMT_VIDSCH_ESCAPE limit{};
  limit.Type = D3DKMT_VIDSCHESCAPETYPE_CONFIGURE_TDR_LIMIT;
  limit.TdrLimit.Count = 1;
  limit.TdrLimit.Time = 60;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, limit), STATUS_SUCCESS);
  D3DKMT_VIDSCH_ESCAPE detection{};
  detection.Type = D3DKMT_VIDSCHESCAPETYPE_TDRCONTROL;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, detection), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_NOT_SUPPORTED) << "Detection is off.";
  detection.TdrControl = 1;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, detection), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_UNCONDITIONAL), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  ASSERT_EQ(AwaitReports(2).size(), 2u);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, limit), STATUS_SUCCESS);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCETDR), STATUS_SUCCESS);
  for (int i = 0; i < 20'000 && kernel_->Violation(luid_)->empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr("VIDEO_TDR_FAILURE"));
}

TEST_F(ForcedTimeout, WhatThisKernelHasNot_IsRefused) {
  Open();
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_ENABLEBREAK), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Force(D3DKMT_TDRDBGCTRLTYPE_FORCEDODTDR), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_TDRDBGCTRL, char{0}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, UINT{5}), STATUS_INVALID_PARAMETER);
  D3DKMT_VIDSCH_ESCAPE suspend{};
  suspend.Type = D3DKMT_VIDSCHESCAPETYPE_SUSPENDSCHEDULER;
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDSCH, suspend), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Escape(D3DKMT_ESCAPE_VIDMM, suspend), STATUS_NOT_SUPPORTED);
}

TEST_F(Timeout, InterruptWasLost_DriverIsAsked_NothingIsReset) {
  miniport_.on_query_fence = [](DXGKARG_QUERYCURRENTFENCE* args) {
    args->CurrentFence = args->NodeOrdinal == 0 ? 1 : 0;
    return STATUS_SUCCESS;
  };
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_TRUE(preemptions_.empty());
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
}

TEST_F(Timeout, InterruptWasLate_AfterTheDriverWasAsked_IsNoLie) {
  miniport_.on_query_fence = [](DXGKARG_QUERYCURRENTFENCE* args) {
    args->CurrentFence = args->NodeOrdinal == 0 ? 2 : 0;
    return STATUS_SUCCESS;
  };
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Render('b'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  miniport_.CompleteDma(0, 1);
  miniport_.CompleteDma(0, 2);
  ASSERT_EQ(Render('c'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  miniport_.CompleteDma(0, 3);
  EXPECT_EQ(Wait(2), STATUS_SUCCESS);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

TEST_F(Timeout, OldFence_AfterTheLateInterruptsCame_IsALie) {
  miniport_.on_query_fence = [](DXGKARG_QUERYCURRENTFENCE* args) {
    args->CurrentFence = args->NodeOrdinal == 0 ? 2 : 0;
    return STATUS_SUCCESS;
  };
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Render('b'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(tdr_.delay_ns);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  ASSERT_EQ(Render('c'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(2), STATUS_SUCCESS);
  miniport_.CompleteDma(0, 3);
  ASSERT_EQ(Wait(2), STATUS_SUCCESS);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
  miniport_.CompleteDma(0, 1);
  for (int i = 0; i < 10'000 && kernel_->Violation(luid_)->empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr("DmaCompleted.FencesRise"));
}

TEST_F(Timeout, SixthWithinAMinute_StopsTheAdapter) {
  Open();
  for (UINT turn = 1; turn <= tdr_.limit_count + 1; ++turn) {
    ASSERT_NO_FATAL_FAILURE(HangIn(turn));
    if (turn <= tdr_.limit_count) {
      ASSERT_EQ(AwaitReports(turn).size(), turn);
    }
  }
  while (StateOf(device_) != D3DKMT_DEVICEEXECUTION_STOPPED) std::this_thread::yield();
  EXPECT_EQ(resets_.size(), tdr_.limit_count);
  EXPECT_EQ(CreateDevice(), STATUS_DEVICE_REMOVED);
}

TEST_F(Timeout, SixOverTime_DoNotStopTheAdapter) {
  Open();
  for (UINT turn = 1; turn <= tdr_.limit_count + 1; ++turn) {
    ASSERT_NO_FATAL_FAILURE(HangIn(turn));
    ASSERT_EQ(AwaitReports(turn).size(), turn);
    time_.Advance(tdr_.limit_time_ns / 5);
  }
  EXPECT_EQ(CreateDevice(), STATUS_SUCCESS);
}

TEST_F(Timeout, LevelOff_NothingIsPreempted) {
  tdr_.level = TdrLevel::kOff;
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  time_.Advance(100 * tdr_.delay_ns);
  miniport_.CompleteDma(0, 1);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_TRUE(preemptions_.empty());
}

TEST_F(Timeout, LevelStop_StopsTheAdapterAtTheFirst) {
  tdr_.level = TdrLevel::kStop;
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  Hang();
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_STOPPED);
  EXPECT_TRUE(resets_.empty());
}

TEST_F(Timeout, PageFault_DeviceIsLost_EngineGoesOn) {
  Open();
  OpenOther();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Render(other_context_, other_buffer_, 'b'), STATUS_SUCCESS);
  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
  note.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  note.DmaPageFaulted.FaultedFenceId = 1;
  miniport_.Interrupt({note});
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT);
  EXPECT_EQ(Render('c'), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  miniport_.CompleteDma(0, 2);
  EXPECT_EQ(Render(other_context_, other_buffer_, 'd'), STATUS_SUCCESS);
  EXPECT_EQ(StateOf(other_device_), D3DKMT_DEVICEEXECUTION_ACTIVE);
}

TEST_F(Timeout, DriverSaysGpuException_DeviceIsLost_OthersLiveOn) {
  Open();
  OpenOther();
  const auto rendering =
      std::exchange(miniport_.on_render, [](DXGKARG_RENDER*) { return STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE; });
  EXPECT_EQ(Render('a'), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  miniport_.on_render = rendering;
  EXPECT_EQ(Render('a'), STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
  EXPECT_EQ(Render(other_context_, other_buffer_, 'b'), STATUS_SUCCESS);
  EXPECT_EQ(works(), "b");
}

TEST_F(Timeout, PageFaultThatStopsTheEngine_IsResetAtOnce) {
  Open();
  ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
  note.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED;
  note.DmaPageFaulted.FaultedFenceId = 1;
  note.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED;
  miniport_.Interrupt({note});
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  EXPECT_EQ(resets_.size(), 1u);
  EXPECT_EQ(StateOf(device_), D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT);
}

}  // namespace
}  // namespace tandem::kernel
