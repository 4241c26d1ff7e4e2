// Engines that hang: who is reset, who is lost, who lives on. Time is the test's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kernel/adapter/rules.h"
#include "kernel/submit/limits.h"
#include "kernel/testing/timeout_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  miniport_.caps.SchedulingCaps.MultiEngineAware = miniport_.caps.SchedulingCaps.CancelCommandAware = 1;
  Open();
  for (std::uint32_t i = 0; i < kInFlightUnlessTold + 2; ++i) ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  Hang();
  ASSERT_EQ(AwaitReports(1).size(), 1u);
  ASSERT_EQ(DestroyDevice(), STATUS_SUCCESS);  // nothing is left that it would wait for
  EXPECT_EQ(submitted().size(), kInFlightUnlessTold);
  EXPECT_EQ(miniport_.count("DxgkDdiCancelCommand"), kInFlightUnlessTold + 1);
}

TEST_F(Timeout, CancelCommandFails_StopsTheDriver) {
  miniport_.caps.SchedulingCaps.MultiEngineAware = miniport_.caps.SchedulingCaps.CancelCommandAware = 1;
  miniport_.on_cancel = [](const DXGKARG_CANCELCOMMAND*) { return STATUS_NOT_IMPLEMENTED; };
  Open();
  for (int i = 0; i < 2; ++i) ASSERT_EQ(Render('a'), STATUS_SUCCESS);
  Hang();
  while (kernel_->Violation(luid_)->empty()) std::this_thread::yield();
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr(rules::kCancelMayNotFail));
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

}  // namespace
}  // namespace tandem::kernel
